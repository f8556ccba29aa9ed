#include "mask/builtin_vocabulary.h"

#include <array>
#include <iterator>

#include "base/text.h"

namespace pccsql {
namespace {

// Each comes four times: as written, in lower case, and both with a blank before.
constexpr const char* kKeywords[] = {
    "SELECT", "FROM",  "WHERE",    "GROUP",     "ORDER",   "BY",      "HAVING", "LIMIT", "OFFSET",  "JOIN",
    "LEFT",   "INNER", "OUTER",    "CROSS",     "NATURAL", "ON",      "USING",  "AS",    "AND",     "OR",
    "NOT",    "IN",    "IS",       "NULL",      "LIKE",    "BETWEEN", "EXISTS", "CASE",  "WHEN",    "THEN",
    "ELSE",   "END",   "UNION",    "INTERSECT", "EXCEPT",  "ALL",     "WITH",   "OVER",  "CAST",    "DISTINCT",
    "ASC",    "DESC",  "COUNT",    "SUM",       "AVG",     "MIN",     "MAX",    "ROUND", "LENGTH",  "SUBSTR",
    "UPPER",  "LOWER", "COALESCE", "PARTITION", "FILTER",  "INTEGER", "TEXT",   "REAL",  "COLLATE", "ABS"};

// Each comes twice: as written, and with a blank before.
constexpr const char* kWords[] = {
    "name",    "id",      "ID",     "Name",  "age",    "year",     "date",       "title",   "type",   "city",
    "country", "state",   "salary", "price", "email",  "address",  "phone",      "number",  "code",   "value",
    "total",   "first",   "last",   "emp",   "dept",   "employee", "department", "student", "course", "customer",
    "order",   "product", "school", "team",  "player", "score",    "rank",       "level",   "status", "amount",
    "t",       "T",       "T1",     "T2",    "T3",     "a",        "b",          "x",       "count",  "sum",
    "max",     "min",     "avg",    "the",   "re",     "in",       "er",         "Refuse",  "1",      "2",
    "10",      "20",      "100",    "2019",  "0.5"};

// As they are. Many end one lexeme and begin another: what a mask must get right.
constexpr const char* kFragments[] = {
    "  ",          "    ",        "\n\n",       "\n ",       " \n",       "\t\t",      ", ",           ",\n",
    " ,",          "(*",          "(*)",        "*)",        " (",        "((",        "))",           ");",
    "),",          ") ",          ")\n",        "();",       "()",        "( ",        " *",           " = ",
    "= ",          " =",          "==",         " == ",      "!=",        " != ",      "<>",           " <> ",
    "<=",          ">=",          " <= ",       " >= ",      " < ",       " > ",       " <",           " >",
    "||",          " || ",        " + ",        " - ",       " * ",       " / ",       "->",           "->>",
    "--",          "/*",          "*/",         ";\n",       " ;",        "''",        " '",           "' ",
    "';",          "')",          "',",         " = '",      "='",        "='%",       "%'",           " '%",
    "\"",          " \"",         "\",",        "\")",       "\" ",       "\".\"",     " `",           "` ",
    "`.`",         "[",           " [",         "] ",        "].[",       "_id",       "_name",        "_ID",
    "_date",       "_type",       "id_",        ".id",       ".name",     ".*",        ".ID",          "T1.",
    " T1.",        "T2.",         " T2.",       "t.",        "1.",        ".5",        "0x",           " AS T",
    " T1 JOIN",    " AS T1",      " AS T2",     "COUNT(",    "count(",    " COUNT(",   "COUNT(*)",     " COUNT(*)",
    "SUM(",        "AVG(",        "MIN(",       "MAX(",      " (SELECT",  "(SELECT",   "SELECT *",     "SELECT * FROM",
    " FROM ",      ") FROM",      " GROUP BY",  " ORDER BY", "GROUP BY",  "ORDER BY",  " IS NOT NULL", " NOT IN (",
    " IN (SELECT", " INNER JOIN", " LEFT JOIN", "DISTINCT ", "(DISTINCT", " LIMIT 1",  " DESC LIMIT",  "ing",
    "tion",        "es",          "ed",         "ment",      "ary",       "SEL",       "ECT",          "FR",
    "OM",          "WH",          "ERE",        "JO",        "DIST",      "sel",       "wh",           "sal",
    "alary",       "nam",         "ame",        "é",         "ü",         "ß",         "名",           "\xE5\x90",
    "\xF0\x9F",    "😀",           "’",          "…",         "Größe",     " \"Größe\""};

}  // namespace

Vocabulary builtin_vocabulary() {
  std::vector<Piece> pieces;
  const auto add = [&pieces](std::string bytes) { pieces.push_back({std::move(bytes), TokenKind::Normal}); };
  for (int byte = 0; byte < 256; ++byte) pieces.push_back({std::string(1, static_cast<char>(byte)), TokenKind::Byte});
  for (const std::string word : kKeywords) {
    for (const std::string& spelling : {word, folded(word)}) {
      add(spelling);
      add(" " + spelling);
    }
  }
  for (const std::string word : kWords) {
    add(word);
    add(" " + word);
  }
  for (const char* fragment : kFragments) add(fragment);
  const auto end = static_cast<TokenId>(pieces.size());
  for (const char* name : {"<|endoftext|>", "<|im_start|>", "<|im_end|>", "<unk>"}) {
    pieces.push_back({name, TokenKind::Special});
  }
  pieces.push_back({"<reserved>", TokenKind::Unused});
  pieces.push_back({"", TokenKind::Normal});
  return *Vocabulary::make(pieces, std::array{end});
}

}  // namespace pccsql
