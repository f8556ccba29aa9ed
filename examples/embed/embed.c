/* The same loop in C.
 *   embed_c hr.sqlite policy.yaml [seed] */
#include <stdio.h>
#include <stdlib.h>

#include <pccsql/pccsql.h>

int main(int argc, char **argv) {
  char *error = NULL, *sql;
  pccsql_vocabulary *vocabulary = pccsql_vocabulary_builtin();
  size_t width = pccsql_vocabulary_size(vocabulary);
  uint32_t *mask = calloc((width + 31) / 32, sizeof *mask);
  pccsql_engine *engine;
  pccsql_matcher *matcher;

  if (argc < 3) return fputs("usage: embed_c hr.sqlite policy.yaml [seed]\n", stderr), 2;
  srand(argc > 3 ? (unsigned)atoi(argv[3]) : 1);
  engine = pccsql_engine_compile(PCCSQL_SCHEMA_SQLITE_FILE, argv[1], NULL, PCCSQL_POLICY_YAML_FILE, argv[2], vocabulary,
                                 NULL, &error);
  if (engine == NULL) return fprintf(stderr, "%s\n", error), 1;

  matcher = pccsql_matcher_new_with_budget(engine, 60);
  while (!pccsql_matcher_is_terminated(matcher)) {
    uint32_t id, count = 0, chosen = 0;
    if (!pccsql_matcher_fill_next_token_bitmask(matcher, mask, width, &error)) return fprintf(stderr, "%s\n", error), 1;
    for (id = 0; id < width; ++id) { /* each allowed token with the same chance */
      if ((mask[id / 32] >> id % 32 & 1) && rand() % (int)++count == 0) chosen = id;
    }
    pccsql_matcher_accept_token(matcher, chosen);
  }
  sql = pccsql_matcher_sql(matcher);
  printf("%s\n", sql != NULL ? sql : pccsql_matcher_refusal_reason(matcher));

  pccsql_free(sql);
  pccsql_matcher_free(matcher);
  pccsql_engine_free(engine);
  pccsql_vocabulary_free(vocabulary);
  free(mask);
  return 0;
}
