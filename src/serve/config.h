// ServeConfig: the file that `pccsql serve` is told everything by. Who may ask which database under which policy, where it
// listens, and how much at once.
//
//   listen: 127.0.0.1:8080
//   tls: {certificate: cert.pem, key: key.pem}
//   databases: {hr: {db: hr.sqlite}, shop: {db: shop.sqlite, values: 3, method: pcc}, sales: {db: "postgresql://asker@host/sales", method: retry}}
//   policies: {analyst: {hr: analyst.yaml, shop: shop.yaml}, auditor: {hr: audit.yaml}}
//   people: {ann: {policy: analyst, key_sha256: …}, bob: {policy: auditor, admin: true, key_sha256: …}}
//   name_hidden: false
//   model: qwen2.5-coder-1.5b
//   audit: audit.jsonl
//   limits: {questions_per_minute: 30, at_once: 8, queue: 64, seconds: 60}
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "decode/answer.h"
#include "exec/open_runner.h"

namespace pccsql {

struct ServeLimits {
  uint32_t questions_per_minute = 30;  // of one person
  uint32_t at_once = 8;                // answers in the making, and queries that run
  uint32_t queue = 64;                 // callers that wait for one of these places
  uint32_t seconds = 60;               // that an answer may take, waiting included
  friend bool operator==(const ServeLimits&, const ServeLimits&) = default;
};

struct ServedDatabase {
  std::string name;
  DatabasePlace place;
  Method method = Method::Pcc;
  Position at;
  uint32_t values = 0;  // shown to the model beside each Public column
};

struct ServedPolicy {
  std::string name;
  std::vector<std::pair<std::string, std::string>> files;  // by database; what is not named is not served to it
  Position at;
};

struct Person {
  std::string name;
  std::string policy;
  bool admin = false;
  std::string key_sha256;
  Position at;
};

struct TlsFiles {
  std::string certificate;
  std::string key;
  friend bool operator==(const TlsFiles&, const TlsFiles&) = default;
};

struct ServeConfig {
  std::string file;
  std::string host = "127.0.0.1";
  uint16_t port = 8080;  // 0: any that is free
  Position listen_at;
  std::optional<TlsFiles> tls;
  std::vector<ServedDatabase> databases;
  std::vector<ServedPolicy> policies;
  std::vector<Person> people;  // none: every caller is the one policy
  bool name_hidden = false;    // whether a reply may name a Hidden column that its caller did not write
  std::string model;           // empty: the usual one; `none`: no questions, queries alone
  std::optional<std::string> audit;
  ServeLimits limits;

  const ServedDatabase* database(std::string_view name) const;
};

// Whether only this machine can reach the address.
bool is_loopback(std::string_view host);

// Paths are relative to the folder of the file. What is wrong is an Error with line and column, and what would be right.
Result<ServeConfig> parse_serve_config(std::string_view text, const std::string& file);

// Everybody may ask, and everybody can reach it: an Error, unless `insecure` says that this is meant. Keys that go over
// the network in the clear are what a proxy with TLS is for, and are allowed.
Result<Done> check_exposure(const ServeConfig& config, bool insecure);

// What cannot change while the server runs; an empty text where the second file changes nothing of it.
std::string needs_restart(const ServeConfig& running, const ServeConfig& wanted);

}  // namespace pccsql
