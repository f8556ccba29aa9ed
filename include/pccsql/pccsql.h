/* The C ABI of pccsql: the same engine as <pccsql/engine.h>, behind opaque handles.
 *
 * Conventions. What makes something returns a handle, or NULL; then, if `error` is not NULL, *error is a message that the
 * caller frees with pccsql_free (otherwise it is left alone). Strings that are returned as `char *` are the caller's to free
 * with pccsql_free, too; those returned as `const char *` belong to the handle, until its next call. Text is UTF-8 and ends
 * with a NUL. NULL may be given to every function that frees. Answers of type int are 1 for yes and 0 for no.
 *
 * An engine, a checker, a memory and a vocabulary may be used by any number of threads at once; a matcher and a batch filler
 * by one at a time, forks of a matcher included as matchers of their own. Handles may be freed in any order: each keeps what
 * it needs.
 *
 * Structs begin with their size, as the program that uses them was compiled. A library that knows more fields then leaves
 * alone those that the program does not have; one that knows fewer refuses a field that is set and that it does not know. */
#ifndef PCCSQL_PCCSQL_H
#define PCCSQL_PCCSQL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pccsql_vocabulary pccsql_vocabulary;
typedef struct pccsql_memory pccsql_memory;
typedef struct pccsql_engine pccsql_engine;
typedef struct pccsql_matcher pccsql_matcher;
typedef struct pccsql_batch_filler pccsql_batch_filler;
typedef struct pccsql_checker pccsql_checker;
typedef struct pccsql_judgement pccsql_judgement;

const char* pccsql_version(void);
void pccsql_free(char* text);

/* ---- vocabularies ---- */

/* From a GGUF file or a tokenizer.json. */
pccsql_vocabulary* pccsql_vocabulary_read(const char* path, char** error);
/* From the text of a tokenizer.json. `end_of_text`: the ids that end a text; if none is given, the special tokens that have
 * a usual name for it. */
pccsql_vocabulary* pccsql_vocabulary_tokenizer_json(const char* json, size_t size, const uint32_t* end_of_text,
                                                    size_t end_of_text_count, char** error);
/* A small one that needs no file. */
pccsql_vocabulary* pccsql_vocabulary_builtin(void);

/* From pieces, by id. Ids that are no text (control tokens, gaps) have is_text 0; their bytes do not count. */
typedef struct pccsql_piece {
  const char* bytes;
  size_t size;
  int is_text;
} pccsql_piece;
pccsql_vocabulary* pccsql_vocabulary_pieces(const pccsql_piece* pieces, size_t count, const uint32_t* end_of_text,
                                            size_t end_of_text_count, char** error);

/* Finds out beforehand what masks have in common whatever the schema, for engines in the style `any`. Takes some tenths of a second; any
 * thread may call it at any time, and no mask is another for it. */
void pccsql_vocabulary_prepare(const pccsql_vocabulary* vocabulary);

size_t pccsql_vocabulary_size(const pccsql_vocabulary* vocabulary);
/* The bytes that the token writes, not NUL-terminated; NULL for one that writes none, or that there is not. */
const char* pccsql_vocabulary_bytes(const pccsql_vocabulary* vocabulary, uint32_t id, size_t* size);
int pccsql_vocabulary_is_end_of_text(const pccsql_vocabulary* vocabulary, uint32_t id);
void pccsql_vocabulary_free(pccsql_vocabulary* vocabulary);

/* ---- memory ---- */

/* What several engines may keep together: pccsql_settings.memory of each. NULL only where there is no memory. */
pccsql_memory* pccsql_memory_new(size_t most_bytes);
size_t pccsql_memory_used(const pccsql_memory* memory);
void pccsql_memory_free(pccsql_memory* memory);

/* ---- engines ---- */

enum { PCCSQL_LANGUAGE_FULL = 0, PCCSQL_LANGUAGE_FRAGMENT = 1 };
enum { PCCSQL_PROFILE_STRICT = 0, PCCSQL_PROFILE_PAPER = 1 };
enum { PCCSQL_ALIASES_SHORT = 0, PCCSQL_ALIASES_ANY = 1 };
enum { PCCSQL_STYLE_ANY = 0, PCCSQL_STYLE_CANONICAL = 1 };
enum { PCCSQL_ALGORITHM_PCC = 0, PCCSQL_ALGORITHM_PAPER = 1 };

/* <pccsql/settings.h> says what each means. Always begin with pccsql_settings_init. */
typedef struct pccsql_settings {
  size_t struct_size; /* of this struct; pccsql_settings_init sets it */
  int language;
  int profile;
  int aliases;
  int style;
  int algorithm;
  int lookahead;
  int derived_names;
  int refusal;
  uint32_t token_budget;
  size_t memory_bytes;         /* the most that the engine keeps; 256 MB */
  const pccsql_memory* memory; /* shared with other engines, instead of memory_bytes; NULL: none */
} pccsql_settings;
/* The defaults. */
#define pccsql_settings_init(settings) pccsql_settings_init_sized((settings), sizeof(pccsql_settings))
void pccsql_settings_init_sized(pccsql_settings* settings, size_t struct_size);

enum { PCCSQL_SCHEMA_SQLITE_FILE = 0, PCCSQL_SCHEMA_DDL_TEXT = 1, PCCSQL_SCHEMA_TABLES_JSON = 2 };
enum { PCCSQL_POLICY_YAML_FILE = 0, PCCSQL_POLICY_YAML_TEXT = 1 };

/* `schema` and `policy` are a path or a text, as their kinds say. `db_id` is for PCCSQL_SCHEMA_TABLES_JSON, else NULL.
 * `settings` NULL: the defaults. */
pccsql_engine* pccsql_engine_compile(int schema_kind, const char* schema, const char* db_id, int policy_kind,
                                     const char* policy, const pccsql_vocabulary* vocabulary,
                                     const pccsql_settings* settings, char** error);
void pccsql_engine_free(pccsql_engine* engine);

/* ---- generations ---- */

enum {
  PCCSQL_NOT_REFUSED = -1,
  PCCSQL_REFUSED_BY_CHOICE = 0,
  PCCSQL_REFUSED_NOTHING_TO_ASK = 1,
  PCCSQL_REFUSED_BUDGET = 2,
  PCCSQL_REFUSED_FAULT = 3
};

/* NULL only where there is no memory. */
pccsql_matcher* pccsql_matcher_new(const pccsql_engine* engine);
pccsql_matcher* pccsql_matcher_new_with_budget(const pccsql_engine* engine, uint32_t token_budget);
pccsql_matcher* pccsql_matcher_fork(pccsql_matcher* matcher);
void pccsql_matcher_free(pccsql_matcher* matcher);

/* Writes the mask of the next token: (logits_width + 31) / 32 words, least significant bit first, 1 = allowed. 0 where
 * there are fewer logits than tokens: then no bit is set. */
int pccsql_matcher_fill_next_token_bitmask(pccsql_matcher* matcher, uint32_t* words, size_t logits_width, char** error);
/* 1 if it was allowed; 0 if not: then the generation is refused. */
int pccsql_matcher_accept_token(pccsql_matcher* matcher, uint32_t id);
int pccsql_matcher_accept_text(pccsql_matcher* matcher, const char* bytes, size_t size);
/* 0 where there are fewer steps: then nothing changes. */
int pccsql_matcher_rollback(pccsql_matcher* matcher, size_t steps);

int pccsql_matcher_is_terminated(const pccsql_matcher* matcher);
/* One of PCCSQL_REFUSED_…, or PCCSQL_NOT_REFUSED. */
int pccsql_matcher_refusal(const pccsql_matcher* matcher);
/* For people; "" where it is not refused. */
const char* pccsql_matcher_refusal_reason(pccsql_matcher* matcher);
/* The text so far; after a refusal "". */
char* pccsql_matcher_text(const pccsql_matcher* matcher);
/* The query, if the generation is over and was not refused; else NULL. */
char* pccsql_matcher_sql(const pccsql_matcher* matcher);

/* Tokens that must come next whatever the model wants: writes at most `most` of them, returns how many there are. */
size_t pccsql_matcher_find_jump_forward_tokens(pccsql_matcher* matcher, uint32_t* tokens, size_t most);
char* pccsql_matcher_find_jump_forward_string(pccsql_matcher* matcher);
/* What may come next and why, a line a fact: `clause: select list`, `allowed: name (employee, Public)` … */
char* pccsql_matcher_explain(pccsql_matcher* matcher);
/* Columns used so far, a line each: `employee.name Sel`. */
char* pccsql_matcher_uses(pccsql_matcher* matcher);

/* ---- many generations at once ---- */

/* Its threads wait between calls and end with it; 0: as many as the machine has. */
pccsql_batch_filler* pccsql_batch_filler_new(size_t threads);
/* Row i of `words` becomes the mask of matchers[i]; a row has (logits_width + 31) / 32 words. NULL: the row stays as it is.
 * 0 where a row could not be filled, or a matcher is there twice; the other rows are filled all the same in the first case. */
int pccsql_batch_filler_fill(pccsql_batch_filler* filler, pccsql_matcher* const* matchers, size_t count, uint32_t* words,
                             size_t logits_width, char** error);
void pccsql_batch_filler_free(pccsql_batch_filler* filler);

/* ---- the second judge: of finished queries ---- */

enum { PCCSQL_SAFE = 0, PCCSQL_UNSAFE = 1, PCCSQL_OUTSIDE = 2, PCCSQL_ERROR = 3 };
enum { PCCSQL_ROLE_SEL = 0, PCCSQL_ROLE_JOIN = 1, PCCSQL_ROLE_WHERE = 2, PCCSQL_ROLE_AGG = 3 };
enum { PCCSQL_PUBLIC = 0, PCCSQL_CONDITION_ONLY = 1, PCCSQL_AGGREGATE_ONLY = 2, PCCSQL_HIDDEN = 3 };

/* As pccsql_engine_compile; of the settings only language and profile count. */
pccsql_checker* pccsql_checker_new(int schema_kind, const char* schema, const char* db_id, int policy_kind,
                                   const char* policy, const pccsql_settings* settings, char** error);
void pccsql_checker_free(pccsql_checker* checker);

/* NULL only where there is no memory. */
pccsql_judgement* pccsql_checker_check(const pccsql_checker* checker, const char* sql, size_t size, char** error);
/* PCCSQL_SAFE: the policy permits the query, and the database would run it. PCCSQL_UNSAFE: it uses a column in a way that is
 * not permitted. PCCSQL_OUTSIDE: it is not one query of the language. PCCSQL_ERROR: the database would refuse it. */
int pccsql_judgement_verdict(const pccsql_judgement* judgement);
/* What is wrong, and what would be right; "" where it is safe. The bytes of the query that it is about, if asked for. */
const char* pccsql_judgement_reason(const pccsql_judgement* judgement, size_t* begin, size_t* end);

/* A column in a role, where the query names it. The strings belong to the judgement. */
typedef struct pccsql_use {
  size_t struct_size; /* the caller sets it */
  const char* table;
  const char* column;
  int role;      /* PCCSQL_ROLE_… */
  int policy;    /* PCCSQL_PUBLIC … */
  int permitted; /* 1 or 0 */
  size_t begin;  /* bytes of the query */
  size_t end;
} pccsql_use;
size_t pccsql_judgement_use_count(const pccsql_judgement* judgement);
/* 0 where there is no such use, or the struct's size is not set. */
int pccsql_judgement_use(const pccsql_judgement* judgement, size_t index, pccsql_use* use);
void pccsql_judgement_free(pccsql_judgement* judgement);

/* The query that is to be run for one that is safe: as written, or, where it counts columns that the policy holds to a
 * minimum group, with the conditions that leave small groups out. NULL for any other query, and where the conditions cannot
 * be added. `said`, if not NULL: what whoever asked is told of the conditions, "" where there are none. */
char* pccsql_checker_run_text(const pccsql_checker* checker, const char* sql, size_t size, char** said, char** error);

#ifdef __cplusplus
}
#endif

#endif
