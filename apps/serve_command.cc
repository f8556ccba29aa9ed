// The commands `serve` and `serve key`. The server runs until SIGTERM or Ctrl-C: then no new question is taken, those that run
// may end, and the audit is whole. SIGHUP reads the file again, whole or not at all.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <string>
#include <thread>

#include "apps/options.h"
#include "apps/output.h"
#include "base/file.h"
#include "base/render.h"
#include "model/pull/pull.h"
#include "model/sha256.h"
#include "serve/keys.h"
#include "serve/server.h"
#include "serve/service.h"

namespace pccsql {
namespace {

void say_to_owner(const std::string& text) {
  std::fputs(("pccsql: " + printable(text) + "\n").c_str(), stderr);
}

std::string counted(size_t number, std::string_view one, std::string_view many) {
  return std::to_string(number) + " " + std::string(number == 1 ? one : many);
}

std::string described(const ServeConfig& config) {
  const std::string people = config.people.empty() ? "everybody who reaches it" : counted(config.people.size(), "person", "people");
  return counted(config.databases.size(), "database", "databases") + " under " + counted(config.policies.size(), "policy", "policies") + " for " + people;
}

// Takes the signals of the process, on a thread of its own, as long as it lives.
class SignalThread {
 public:
  // PRE: no other thread has been started. Whatever is started from here on does not get them.
  SignalThread() {
    sigemptyset(&signals_);
    for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGUSR1}) sigaddset(&signals_, signal);
    pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
    std::signal(SIGPIPE, SIG_IGN);
  }
  ~SignalThread() { end(); }
  SignalThread(const SignalThread&) = delete;
  SignalThread& operator=(const SignalThread&) = delete;

  template <typename Reload, typename Stop>
  void start(Reload reload, Stop stop) {
    thread_ = std::thread([this, reload, stop] {
      for (;;) {
        int signal = 0;
        if (sigwait(&signals_, &signal) != 0) continue;
        if (signal == SIGUSR1) return;
        if (signal == SIGHUP) {
          reload();
        } else {
          stop();
          return;
        }
      }
    });
  }
  void end() {
    if (!thread_.joinable()) return;
    pthread_kill(thread_.native_handle(), SIGUSR1);
    thread_.join();
  }

 private:
  sigset_t signals_{};
  std::thread thread_;
};

}  // namespace

int run_serve_key(const Options& options) {
  const char* hint = "try `pccsql serve key --help`";
  if (!options.serve.person) return fail("whose key? Name the person", hint);
  const auto key = make_key();
  if (!key) return fail(key.error());
  const std::string line = "  " + *options.serve.person + ": {policy: POLICY, key_sha256: " + sha256_hex(*key) + "}";
  const auto read = parse_serve_config("databases: {a: {db: a}}\npolicies: {POLICY: {a: a}}\npeople:\n" + line + "\n", "");
  if (!read) return fail("`" + *options.serve.person + "` is no name of a person: letters, digits, `_`, `-` and `.`, at most 64", hint);
  Output output;
  output.write("The key, which is shown this once:\n\n  " + *key + "\n\nThe line for `people` in the server's file:\n\n" + line + "\n");
  return output.finish(kExitFine);
}

int run_serve(const Options& options) {
  auto config = serve_config(options);
  if (!config) return fail(config.error());
  if (const auto exposed = check_exposure(*config, options.serve.insecure); !exposed) return fail(exposed.error());
  if (options.serve.check) {
    ServeConfig looked_at = *config;
    looked_at.audit.reset();  // which would be made
    const auto opened = Service::open(looked_at, nullptr, "");
    if (!opened) return fail(opened.error());
    Output output;
    output.write("fine: " + described(*config) + "\n");
    return output.finish(kExitFine);
  }
  SignalThread signals;
  auto model = open_served_model(options, *config);
  if (!model) return fail(model.error());
  auto service = Service::open(*config, model->model.get(), model->file);
  if (!service) return fail(service.error());
  auto server = Server::open(**service);
  if (!server) return fail(server.error());
  if (config->people.empty() && !is_loopback(config->host)) {
    say_to_owner("WARNING: everybody who can reach " + (*server)->address() + " may ask; there are no `people`, and `--insecure` was given");
  } else if (!config->tls && !is_loopback(config->host)) {
    say_to_owner("keys and answers cross the network unencrypted; `tls`, or a proxy before this, would keep them");
  }
  const auto reload = [&] {
    if (!options.serve.config) return say_to_owner("there is no file to read again");
    auto fresh = serve_config(options);
    Result<Done> taken = fresh ? check_exposure(*fresh, options.serve.insecure) : Result<Done>(fresh.error());
    if (taken) taken = (*service)->reload(*fresh);
    say_to_owner(taken ? "read again: " + described(*fresh) : "the file is not taken up, everything is as it was: " + taken.error().to_string());
  };
  const auto stop = [&] {
    const auto patience = std::chrono::seconds(std::min<uint32_t>(30, (*service)->config().limits.seconds));
    say_to_owner("stopping; answers in the making have " + std::to_string(patience.count()) + " seconds");
    (*service)->drain(std::chrono::steady_clock::now() + patience);
    (*server)->stop();
  };
  signals.start(reload, stop);
  Output output;
  output.write((*server)->address() + "\n");
  output.flush();
  say_to_owner("serving " + described(*config) + "; Ctrl-C stops");
  const auto listened = (*server)->listen();
  signals.end();
  return listened ? output.finish(kExitFine) : fail(listened.error());
}

}  // namespace pccsql
