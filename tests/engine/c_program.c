/* What a C program does with the library, compiled as C11: settings of several sizes, the second judge, a batch. */
#include <string.h>

#include <pccsql/pccsql.h>

#define EXPECT(condition) \
  if (!(condition)) return "not so: " #condition

static const char* const kSchema = "CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT, salary INT, ssn TEXT);";
static const char* const kPolicy =
    "version: 1\n"
    "tables: {person: {id: Public, name: Public, salary: AggregateOnly, ssn: Hidden}}\n";

static pccsql_checker* checker_with(const pccsql_settings* settings, char** error) {
  return pccsql_checker_new(PCCSQL_SCHEMA_DDL_TEXT, kSchema, NULL, PCCSQL_POLICY_YAML_TEXT, kPolicy, settings, error);
}

static const char* the_second_judge(void) {
  const char* sql = "SELECT name FROM person WHERE salary > 5";
  pccsql_use use;
  size_t begin = 0, end = 0;
  pccsql_judgement* judgement;
  pccsql_checker* checker = checker_with(NULL, NULL);
  EXPECT(checker != NULL);
  judgement = pccsql_checker_check(checker, sql, strlen(sql), NULL);
  pccsql_checker_free(checker); /* the judgement keeps what it needs */
  EXPECT(judgement != NULL);
  EXPECT(pccsql_judgement_verdict(judgement) == PCCSQL_UNSAFE);
  EXPECT(strstr(pccsql_judgement_reason(judgement, &begin, &end), "salary") != NULL);
  EXPECT(strncmp(sql + begin, "salary", end - begin) == 0);
  EXPECT(pccsql_judgement_use_count(judgement) == 2);
  use.struct_size = sizeof use;
  EXPECT(pccsql_judgement_use(judgement, 1, &use) == 1);
  EXPECT(strcmp(use.table, "person") == 0 && strcmp(use.column, "salary") == 0);
  EXPECT(use.role == PCCSQL_ROLE_WHERE && use.policy == PCCSQL_AGGREGATE_ONLY && use.permitted == 0);
  EXPECT(use.begin == begin && use.end == end);
  EXPECT(pccsql_judgement_use(judgement, 2, &use) == 0);
  use.struct_size = 0;
  EXPECT(pccsql_judgement_use(judgement, 0, &use) == 0);
  pccsql_judgement_free(judgement);
  return NULL;
}

static const char* what_is_run(void) {
  static const char* const kGrouped =
      "version: 1\nmin_group: 5\ntables: {person: {id: Public, name: Public, salary: AggregateOnly, ssn: Hidden}}\n";
  const char* plain = "SELECT name FROM person";
  const char* counted = "SELECT AVG(salary) FROM person GROUP BY name";
  const char* unsafe = "SELECT ssn FROM person";
  char *run, *said = NULL, *error = NULL;
  pccsql_checker* checker = pccsql_checker_new(PCCSQL_SCHEMA_DDL_TEXT, kSchema, NULL, PCCSQL_POLICY_YAML_TEXT, kGrouped,
                                               NULL, NULL);
  EXPECT(checker != NULL);
  run = pccsql_checker_run_text(checker, plain, strlen(plain), &said, &error);
  EXPECT(run != NULL && strcmp(run, plain) == 0 && said != NULL && *said == '\0' && error == NULL);
  pccsql_free(run);
  pccsql_free(said);
  run = pccsql_checker_run_text(checker, counted, strlen(counted), &said, &error);
  EXPECT(run != NULL && strstr(run, ">= 5") != NULL && strstr(said, "fewer than 5") != NULL);
  pccsql_free(run);
  pccsql_free(said);
  said = NULL;
  run = pccsql_checker_run_text(checker, unsafe, strlen(unsafe), &said, &error);
  EXPECT(run == NULL && said == NULL && error != NULL);
  pccsql_free(error);
  pccsql_checker_free(checker);
  return NULL;
}

static const char* a_vocabulary_from_text(void) {
  const char* json =
      "{\"added_tokens\": [{\"id\": 2, \"content\": \"<end>\", \"special\": true}],"
      " \"decoder\": {\"type\": \"ByteLevel\"},"
      " \"model\": {\"type\": \"BPE\", \"vocab\": {\"a\": 0, \"\\u0120b\": 1}, \"merges\": []}}";
  const uint32_t end = 2, beyond = 3;
  size_t size = 0;
  char* error = NULL;
  pccsql_vocabulary* vocabulary = pccsql_vocabulary_tokenizer_json(json, strlen(json), &end, 1, &error);
  EXPECT(vocabulary != NULL && pccsql_vocabulary_size(vocabulary) == 3);
  EXPECT(strncmp(pccsql_vocabulary_bytes(vocabulary, 1, &size), " b", 2) == 0 && size == 2);
  EXPECT(pccsql_vocabulary_is_end_of_text(vocabulary, 2) == 1 && pccsql_vocabulary_is_end_of_text(vocabulary, 1) == 0);
  pccsql_vocabulary_free(vocabulary);
  EXPECT(pccsql_vocabulary_tokenizer_json(json, strlen(json), &beyond, 1, &error) == NULL && error != NULL);
  pccsql_free(error);
  error = NULL;
  EXPECT(pccsql_vocabulary_tokenizer_json(json, strlen(json), NULL, 0, &error) == NULL && error != NULL); /* no usual name */
  pccsql_free(error);
  return NULL;
}

/* A struct as a later version might have it. */
typedef struct later_settings {
  pccsql_settings known;
  size_t later;
} later_settings;

static const char* settings_of_other_versions(void) {
  char* error = NULL;
  later_settings later;
  pccsql_settings settings;
  pccsql_checker* checker;

  pccsql_settings_init_sized(&later.known, sizeof later);
  EXPECT(later.known.struct_size == sizeof later && later.known.lookahead == 1 && later.later == 0);
  checker = checker_with(&later.known, &error);
  EXPECT(checker != NULL);
  pccsql_checker_free(checker);
  later.later = 1; /* a setting that this version does not know must not be passed over */
  EXPECT(checker_with(&later.known, &error) == NULL);
  EXPECT(error != NULL && strstr(error, "does not know") != NULL);
  pccsql_free(error);
  error = NULL;

  pccsql_settings_init(&settings);
  EXPECT(settings.struct_size == sizeof settings);
  settings.style = 9;
  settings.struct_size = offsetof(pccsql_settings, style); /* of a version that had no styles: what stands there is none */
  checker = checker_with(&settings, &error);
  EXPECT(checker != NULL);
  pccsql_checker_free(checker);
  settings.struct_size = 0;
  EXPECT(checker_with(&settings, &error) == NULL);
  pccsql_free(error);
  return NULL;
}

static const char* a_batch(void) {
  enum { kRows = 5 };
  pccsql_vocabulary* vocabulary = pccsql_vocabulary_builtin();
  pccsql_engine* engine = pccsql_engine_compile(PCCSQL_SCHEMA_DDL_TEXT, kSchema, NULL, PCCSQL_POLICY_YAML_TEXT, kPolicy,
                                                vocabulary, NULL, NULL);
  pccsql_batch_filler* filler = pccsql_batch_filler_new(3);
  const size_t width = pccsql_vocabulary_size(vocabulary), words = (width + 31) / 32;
  uint32_t masks[kRows * 256], alone[256];
  pccsql_matcher* matchers[kRows] = {NULL};
  char* error = NULL;
  size_t row;
  pccsql_vocabulary_prepare(vocabulary);
  EXPECT(engine != NULL && filler != NULL && words <= 256);
  for (row = 0; row < kRows; ++row) {
    if (row == 2) continue;
    matchers[row] = pccsql_matcher_new(engine);
    EXPECT(pccsql_matcher_accept_text(matchers[row], "SELECT name", row + 6) == 1);
  }
  memset(masks, 0xAA, sizeof masks);
  EXPECT(pccsql_batch_filler_fill(filler, matchers, kRows, masks, width, &error) == 1);
  for (row = 0; row < kRows; ++row) {
    if (row == 2) {
      EXPECT(masks[row * words] == 0xAAAAAAAA);
      continue;
    }
    EXPECT(pccsql_matcher_fill_next_token_bitmask(matchers[row], alone, width, NULL) == 1);
    EXPECT(memcmp(alone, masks + row * words, words * sizeof *alone) == 0);
  }
  matchers[2] = matchers[1];
  EXPECT(pccsql_batch_filler_fill(filler, matchers, kRows, masks, width, &error) == 0);
  EXPECT(error != NULL && strstr(error, "twice") != NULL);
  pccsql_free(error);
  matchers[2] = NULL;
  for (row = 0; row < kRows; ++row) pccsql_matcher_free(matchers[row]);
  pccsql_batch_filler_free(filler);
  pccsql_engine_free(engine);
  pccsql_vocabulary_free(vocabulary);
  return NULL;
}

/* NULL: all is as it should be; else what is not. */
const char* problem_of_c_program(void);
const char* problem_of_c_program(void) {
  const char* problem = the_second_judge();
  if (problem == NULL) problem = settings_of_other_versions();
  if (problem == NULL) problem = a_batch();
  if (problem == NULL) problem = what_is_run();
  if (problem == NULL) problem = a_vocabulary_from_text();
  return problem;
}
