// Key joins: how the table that a FROM has just joined goes with those before it, where a foreign key says so.
//
// A model that is not sure joins `T1.id = T2.id`. Where one table refers to the other, that reference is what is nearly always
// meant, so it is tried first. It is a preference: where the policy closes a key, or there is none, the model chooses.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policy/policy.h"
#include "schema/catalog.h"
#include "syntax/lexer.h"

namespace pccsql {

// What may follow `text` so that the ON that it ends in compares a foreign key with the key that it refers to. Empty: it ends
// in no ON, or there is no such key, or what is written is another condition already.
std::vector<std::string> key_joins(const Catalog& catalog, const Policy& policy, std::string_view text);

// Where the last of these lexemes ends a join of a reference with the key of a table that it does not refer to, as in
// `employee AS T1 JOIN office AS T2 ON T1.department_id = T2.id`: the places where another word should have been taken, first choice
// first, which are the table and then the key. Columns of one name are meant, and two references to one table. PRE: the lexemes are
// those of `text` from its beginning, each whole.
std::vector<uint32_t> stray_join(const Catalog& catalog, std::string_view text, std::span<const Lexeme> lexemes);

}  // namespace pccsql
