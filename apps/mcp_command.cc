// The command `mcp`: the Model Context Protocol over standard input and output, one message a line. Requests are answered as
// they are done, each on a thread of its own; one that the client cancels is stopped.
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "apps/jsonl.h"
#include "apps/options.h"
#include "apps/output.h"
#include "base/json.h"
#include "serve/doors.h"
#include "serve/service.h"

namespace pccsql {
namespace {

class StdioDoor {
 public:
  StdioDoor(Service& service, Caller caller) : service_(service), caller_(std::move(caller)) {}

  int run() {
    auto reader = LineReader::open("-");
    if (!reader) return fail(reader.error());
    std::string_view line;
    while (!broken_ && reader->next(line)) {
      if (!line.empty()) take(std::string(line));
    }
    // Who closes the input wants no more answers than those that are being made.
    std::unique_lock lock(mutex_);
    idle_.wait(lock, [this] { return running_ == 0; });
    return reader->failure() ? fail(*reader->failure()) : kExitFine;
  }

 private:
  static constexpr size_t kMostAtOnce = 64;

  void take(std::string line) {
    const auto message = parsed_json(line);
    if (message && message->is_object() && message->value("method", Json()) == "notifications/cancelled") return cancel(*message);
    const std::string id = message && message->is_object() && message->contains("id") ? dumped((*message)["id"]) : "";
    const auto gone = std::make_shared<std::atomic<bool>>(false);
    {
      std::unique_lock lock(mutex_);
      idle_.wait(lock, [this] { return running_ < kMostAtOnce; });
      ++running_;
      cancelled_[id] = gone;
    }
    std::thread([this, line = std::move(line), id, gone] {
      Visit visit;
      visit.caller = caller_;
      visit.door = "mcp";
      visit.gone = [this, gone] { return *gone || broken_; };
      const auto answer = mcp_message(service_, visit, line);
      if (answer && !*gone) write(*answer + "\n");
      const std::lock_guard lock(mutex_);
      if (const auto mine = cancelled_.find(id); mine != cancelled_.end() && mine->second == gone) cancelled_.erase(mine);
      --running_;
      idle_.notify_all();
    }).detach();
  }

  void cancel(const Json& message) {
    const auto params = message.find("params");
    if (params == message.end() || !params->is_object() || !params->contains("requestId")) return;
    const std::lock_guard lock(mutex_);
    const auto found = cancelled_.find(dumped((*params)["requestId"]));
    if (found != cancelled_.end()) *found->second = true;
  }

  void write(const std::string& text) {
    const std::lock_guard lock(output_);
    for (std::string_view rest = text; !rest.empty() && !broken_;) {
      const ssize_t put = ::write(STDOUT_FILENO, rest.data(), rest.size());
      if (put >= 0) {
        rest.remove_prefix(static_cast<size_t>(put));
      } else if (errno != EINTR) {
        broken_ = true;
      }
    }
  }

  Service& service_;
  const Caller caller_;
  std::mutex output_;
  std::atomic<bool> broken_ = false;
  std::mutex mutex_;
  std::condition_variable idle_;
  size_t running_ = 0;
  std::map<std::string, std::shared_ptr<std::atomic<bool>>> cancelled_;  // by id
};

}  // namespace

int run_mcp(const Options& options) {
  const auto config = serve_config(options);
  if (!config) return fail(config.error());
  std::signal(SIGPIPE, SIG_IGN);
  auto model = open_served_model(options, *config);
  if (!model) return fail(model.error());
  auto service = Service::open(*config, model->model.get(), model->file);
  if (!service) return fail(service.error());
  const char* const key = std::getenv("PCCSQL_KEY");
  const auto caller = (*service)->caller_of(key == nullptr ? "" : key);
  if (!caller) {
    return fail(key == nullptr ? "the file names people; say who asks with a key in the variable PCCSQL_KEY"
                               : "the key in the variable PCCSQL_KEY is nobody's");
  }
  return StdioDoor(**service, *caller).run();
}

}  // namespace pccsql
