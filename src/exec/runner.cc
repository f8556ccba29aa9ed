#include "exec/runner.h"

#include <algorithm>
#include <list>
#include <mutex>
#include <utility>
#include <vector>

#include "exec/worker.h"

namespace pccsql {

// A runner's process, if it has one now.
struct Runner::Slot {
  std::mutex mutex;  // held while a query runs
  std::unique_ptr<Worker> worker;
};

// All slots of this process, used last first. A program may have hundreds of databases open, and a process each would
// be too many: whoever needs one more takes over the one that has waited longest.
struct Runner::Slots {
  static constexpr size_t kMostProcesses = 16;

  static Slots& all() {
    static Slots slots;
    return slots;
  }

  void note_use(const std::shared_ptr<Slot>& slot) {
    const std::lock_guard lock(mutex_);
    used_.remove_if([&slot](const std::weak_ptr<Slot>& other) { return other.expired() || other.lock() == slot; });
    used_.push_front(slot);
  }

  // A process without a runner, for a slot that has none. PRE: the caller holds its mutex.
  Result<std::unique_ptr<Worker>> get_worker(const Slot& wanted_by) {
    {
      const std::lock_guard lock(mutex_);
      size_t processes = 0;
      std::unique_ptr<Worker>* longest_unused = nullptr;
      std::vector<std::shared_ptr<Slot>> slots;
      std::vector<std::unique_lock<std::mutex>> held;  // of the slots, which outlive it
      for (const std::weak_ptr<Slot>& other : used_) {
        std::shared_ptr<Slot> slot = other.lock();
        if (!slot || slot.get() == &wanted_by) continue;
        std::unique_lock waiting(slot->mutex, std::try_to_lock);
        if (waiting.owns_lock() && !slot->worker) continue;
        ++processes;
        if (!waiting.owns_lock()) continue;
        longest_unused = &slot->worker;
        held.push_back(std::move(waiting));
        slots.push_back(std::move(slot));
      }
      if (processes >= kMostProcesses && longest_unused != nullptr && (*longest_unused)->alive()) {
        return std::move(*longest_unused);
      }
    }
    return Worker::start();
  }

 private:
  std::mutex mutex_;
  std::list<std::weak_ptr<Slot>> used_;
};

// Opens the spec's database in a process for the slot, whose mutex the caller holds.
Result<SchemaStamp> Runner::provide(Slot& slot, const SessionSpec& spec, const std::atomic<bool>* cancel) {
  auto worker = Slots::all().get_worker(slot);
  if (!worker) return worker.error();
  auto stamp = (*worker)->open(spec, cancel);
  if (stamp) slot.worker = std::move(*worker);
  return stamp;
}

Runner::Runner(SessionSpec spec, std::shared_ptr<Slot> slot) : spec_(std::move(spec)), slot_(std::move(slot)) {}
Runner::Runner(Runner&&) noexcept = default;
Runner& Runner::operator=(Runner&&) noexcept = default;
Runner::~Runner() = default;

Result<Runner> Runner::open(SessionSpec spec) {
  auto slot = std::make_shared<Slot>();
  {
    const std::lock_guard lock(slot->mutex);
    const auto stamp = provide(*slot, spec, nullptr);
    if (!stamp) return stamp.error();
    if (!spec.stamp) spec.stamp = *stamp;
  }
  Slots::all().note_use(slot);
  return Runner(std::move(spec), std::move(slot));
}

Result<Runner> Runner::open(const std::string& path, const Catalog& catalog, const Policy& policy, Profile profile,
                            RunLimits limits) {
  return open({path, limits, fence_rules(catalog, policy, profile), catalog.stamp()});
}

Result<Runner> Runner::open_unfenced(const std::string& path, RunLimits limits) {
  return open({path, limits, std::nullopt, std::nullopt});
}

Result<RowSet> Runner::run(std::string_view sql, const std::atomic<bool>* cancel) {
  return run(RunRequest{std::string(sql), std::nullopt, {}}, cancel);
}

Result<RowSet> Runner::run(std::string_view sql, const RunText& text, const std::atomic<bool>* cancel) {
  if (!text.changed()) return run(sql, cancel);
  return run(RunRequest{std::string(sql), text.sql, text.admitted}, cancel);
}

Result<RowSet> Runner::run(const RunRequest& request, const std::atomic<bool>* cancel) {
  if (std::max(request.sql.size(), request.instead.value_or("").size()) > spec_.limits.statement) {
    return Error{"the query is over the statement length limit of " + std::to_string(spec_.limits.statement) + " bytes",
                 {},
                 {}};
  }
  Worker::Outcome outcome;
  {
    const std::lock_guard lock(slot_->mutex);
    if (slot_->worker && !slot_->worker->alive()) slot_->worker.reset();
    if (!slot_->worker) {
      if (const auto stamp = provide(*slot_, spec_, cancel); !stamp) return stamp.error();
    }
    outcome = slot_->worker->run(request, spec_.limits, cancel);
    if (!outcome.usable) slot_->worker.reset();
  }
  Slots::all().note_use(slot_);
  switch (outcome.reply.kind) {
    case RunReply::Kind::Rows:
      return std::move(outcome.rows);
    case RunReply::Kind::SchemaChanged:
      return Error{std::string(kSchemaChanged), {}, {}};
    case RunReply::Kind::Failure:
      break;
  }
  return Error{std::move(outcome.reply.message), {}, {}};
}

}  // namespace pccsql
