#include "serve/access.h"

#include <sys/stat.h>

#include <utility>

#include "engine/engine_impl.h"
#include "exec/open_runner.h"
#include "mask/builtin_vocabulary.h"
#include "model/sha256.h"
#include "policy/column_comments.h"
#include "policy/policy_file.h"
#include "schema/pg_catalog.h"
#include "schema/reader.h"

namespace pccsql {
namespace {

// Which file stands there, however it is written to; empty: none, or it is no file.
std::string identity_of(const DatabasePlace& place) {
  struct stat found {};
  if (stat(place.address.c_str(), &found) != 0) return "";
  return std::to_string(found.st_dev) + ":" + std::to_string(found.st_ino);
}

}  // namespace

Access::Access(ServedDatabase database, std::string policy_name, std::string policy_file, std::string policy_text, Catalog catalog,
               Policy policy, ExampleValues values)
    : database_(std::move(database)),
      policy_name_(std::move(policy_name)),
      policy_file_(std::move(policy_file)),
      policy_text_(std::move(policy_text)),
      catalog_(std::move(catalog)),
      policy_(std::move(policy)),
      policy_hash_(sha256_hex(to_yaml(catalog_, policy_))),
      hidden_(catalog_, policy_),
      values_(std::move(values)),
      identity_(identity_of(database_.place)) {}

Result<Policy> Access::read_policy(const Catalog& catalog, const std::string& text, const std::string& file) {
  auto policy = parse_policy_yaml(text, catalog, file);
  if (!policy) return policy.error();
  // What comments in the database say holds wherever its catalogue is read.
  auto comments = policy_of_comments(catalog, ColumnPolicy::Public);
  if (!comments) return comments.error();
  if (*comments) policy = intersection(catalog, *policy, **comments);
  return policy;
}

Result<std::shared_ptr<Access>> Access::open(const ServedDatabase& database, const std::string& policy_name,
                                             const std::string& policy_file, std::string policy_text) {
  const DatabasePlace& place = database.place;
  const bool server = is_pg_address(place.address);
  auto catalog = server ? read_pg_catalog(place.address, place.schema) : read_sqlite_catalog(place.address);
  if (!catalog) return catalog.error();
  auto policy = read_policy(*catalog, policy_text, policy_file);
  if (!policy) return policy.error();
  ExampleValues values;
  if (database.values > 0) {
    const auto runner = open_runner(place, *catalog, *policy, Profile::Strict);
    if (!runner) return runner.error();
    values = read_example_values(**runner, *catalog, *policy, database.values);
  }
  std::shared_ptr<Access> made(new Access(database, policy_name, policy_file, std::move(policy_text), *std::move(catalog),
                                          *std::move(policy), std::move(values)));
  if (server) {  // by a seat of the kind that callers take, so that none of its connections is of no further use
    if (auto opened = made->runner(*made->seat(HiddenColumns::LeftOut)); !opened) return opened.error();
  }
  return made;
}

bool Access::replaced() const { return identity_of(database_.place) != identity_; }

std::shared_ptr<Seat> Access::seat(HiddenColumns hidden) const {
  const auto kind = static_cast<size_t>(hidden);
  std::unique_ptr<Seat> seat;
  {
    const std::lock_guard lock(mutex_);
    if (!idle_[kind].empty()) {
      seat = std::move(idle_[kind].back());
      idle_[kind].pop_back();
    }
  }
  if (!seat) seat = std::make_unique<Seat>(catalog_, policy_, values_, hidden);
  return {seat.release(), [self = shared_from_this(), kind](Seat* back) {
            std::unique_ptr<Seat> owned(back);
            const std::lock_guard lock(self->mutex_);
            self->idle_[kind].push_back(std::move(owned));
          }};
}

Result<QueryRunner*> Access::runner(Seat& seat) const {
  if (!seat.runner) {
    auto opened = open_runner(database_.place, catalog_, policy_, Profile::Strict);
    if (!opened) return opened.error();
    seat.runner = *std::move(opened);
  }
  return seat.runner.get();
}

Result<const Engine*> Access::completer() const {
  static const VocabularyIndex bytes(builtin_vocabulary());
  const std::lock_guard lock(mutex_);
  if (!completer_) completer_.emplace(make_engine(catalog_, policy_, bytes, Settings{}));
  if (!*completer_) return completer_->error();
  return &**completer_;
}

}  // namespace pccsql
