// Estate: one configuration with all that was opened for it. For service*.cc alone.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "serve/service.h"

namespace pccsql {

struct Service::Estate {
  ServeConfig config;

  mutable std::mutex mutex;
  std::map<std::pair<std::string, std::string>, std::shared_ptr<Access>> accesses;  // by policy and database
};

// Decoders, made when they are first needed; as many as there are places.
class Service::Decoders {
 public:
  explicit Decoders(Service& service);

  std::shared_ptr<Decoder> take(Method method);
  Memory& memory() { return *settings_.memory; }

 private:
  Service& service_;
  DecodeSettings settings_;
  std::mutex mutex_;
  std::map<Method, std::vector<std::unique_ptr<Decoder>>> idle_;
};

// A question that may be asked now: it has a place, until its answer is there. Telling the answer takes none, because whoever reads it
// slowly would keep the others from asking; it is counted all the same, for a server that is to stop.
class Service::Turn {
 public:
  Turn(Service& service, std::shared_ptr<Access> turn_access, std::string asked, std::optional<std::string> hint,
       std::chrono::steady_clock::time_point until)
      : access(std::move(turn_access)), question(std::move(asked)), evidence(std::move(hint)), deadline(until), telling(service.tellings_) {
    place.emplace(service.answers_);
  }

  std::shared_ptr<Access> access;
  std::string question;
  std::optional<std::string> evidence;
  std::chrono::steady_clock::time_point deadline;
  GatePlace telling;
  std::optional<GatePlace> place;
};

}  // namespace pccsql
