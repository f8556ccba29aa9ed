// In place of PostgreSQL's parser where the program is built without libpg_query: every parse says so.
#include "pgtree/pg_tree.h"

namespace pccsql {

bool has_postgres() { return false; }

PgTree::PgTree() = default;
PgTree::~PgTree() = default;
PgTree::PgTree(PgTree&&) noexcept = default;
PgTree& PgTree::operator=(PgTree&&) noexcept = default;

PgTree::Outcome PgTree::parse(std::string_view, size_t) {
  message_ = kNoPostgres;
  return Outcome::Unavailable;
}

PgNode PgTree::statements() const { return {}; }
std::string_view PgNode::key() const { return {}; }
std::string_view PgNode::text() const { return {}; }
int64_t PgNode::number(int64_t otherwise) const { return otherwise; }
PgNode PgNode::first() const { return {}; }
PgNode PgNode::next() const { return {}; }
PgNode PgNode::operator[](std::string_view) const { return {}; }
size_t PgNode::size() const { return 0; }

}  // namespace pccsql
