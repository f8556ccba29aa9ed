// Answers that are told from outside: questions go out as lines of JSON, answers come back as lines of JSON, so that whatever
// has a model can be measured on a suite (`eval run --answers`, pccsql.evaluate in Python). Each answer is judged here.
//
//   out  {"n": 7, "db_id": "shop", "policy": "{…}", "system": "…", "user": "…", "question": "…", "evidence": null,
//         "max_tokens": 512}
//   back {"n": 7, "text": "SELECT …"}, or {"n": 7, "refused": "why"}, or {"n": 7, "error": "why"};
//        `prompt_tokens`, `generated_tokens` and `calls` where they are known
//
// Several questions may be out at once; answers come in any order.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <istream>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <ostream>
#include <string>

#include "base/result.h"
#include "decode/decoder.h"

namespace pccsql {

// The two streams. Used by any number of threads at once.
class ToldAnswers {
 public:
  // PRE: both outlive it.
  ToldAnswers(std::istream& in, std::ostream& out) : in_(in), out_(out) {}

  // The line of the answer to `request`, a JSON object without its end, to which the number is added. An Error: no more
  // answers come, or `stop` became true.
  Result<std::string> ask(const std::string& request, const std::atomic<bool>* stop);

 private:
  std::optional<Error> read_one(std::unique_lock<std::mutex>& lock);

  std::istream& in_;
  std::ostream& out_;
  std::mutex mutex_;
  std::condition_variable came_;
  uint64_t next_ = 0;
  bool reading_ = false;
  std::optional<Error> over_;
  std::map<uint64_t, std::optional<std::string>> answers_;  // of the questions that are out; nothing: not back yet
};

// direct and pcc; any other method is an Error. Under pcc a text that is not safe is withheld: who tells it claims that a
// mask has made it.
// Where no answer comes any more, the question counts as stopped.
Result<std::unique_ptr<Decoder>> make_told_decoder(Method method, ToldAnswers& answers, const DecodeSettings& settings);

}  // namespace pccsql
