#include "serve/access.h"

#include <utility>

#include "engine/engine_impl.h"
#include "mask/builtin_vocabulary.h"
#include "model/sha256.h"
#include "policy/policy_file.h"
#include "schema/reader.h"

namespace pccsql {

Access::Access(ServedDatabase database, std::string policy_name, std::string policy_file, std::string policy_text, Catalog catalog,
               Policy policy)
    : database_(std::move(database)),
      policy_name_(std::move(policy_name)),
      policy_file_(std::move(policy_file)),
      policy_text_(std::move(policy_text)),
      catalog_(std::move(catalog)),
      policy_(std::move(policy)),
      policy_hash_(sha256_hex(to_yaml(catalog_, policy_))),
      hidden_(catalog_, policy_) {}

Result<std::shared_ptr<Access>> Access::open(const ServedDatabase& database, const std::string& policy_name,
                                             const std::string& policy_file, std::string policy_text) {
  auto catalog = read_sqlite_catalog(database.path);
  if (!catalog) return catalog.error();
  auto policy = parse_policy_yaml(policy_text, *catalog, policy_file);
  if (!policy) return policy.error();
  return std::shared_ptr<Access>(
      new Access(database, policy_name, policy_file, std::move(policy_text), *std::move(catalog), *std::move(policy)));
}

std::shared_ptr<Seat> Access::seat() const {
  std::unique_ptr<Seat> seat;
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      seat = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  if (!seat) seat = std::make_unique<Seat>(catalog_, policy_);
  return {seat.release(), [self = shared_from_this()](Seat* back) {
            std::unique_ptr<Seat> owned(back);
            const std::lock_guard lock(self->mutex_);
            self->idle_.push_back(std::move(owned));
          }};
}

Result<Runner*> Access::runner(Seat& seat) const {
  if (!seat.runner) {
    auto opened = Runner::open(database_.path, catalog_, policy_, Profile::Strict);
    if (!opened) return opened.error();
    seat.runner.emplace(*std::move(opened));
  }
  return &*seat.runner;
}

Result<const Engine*> Access::completer() const {
  static const VocabularyIndex bytes(builtin_vocabulary());
  const std::lock_guard lock(mutex_);
  if (!completer_) completer_.emplace(make_engine(catalog_, policy_, bytes, Settings{}));
  if (!*completer_) return completer_->error();
  return &**completer_;
}

}  // namespace pccsql
