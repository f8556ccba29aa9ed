// Which file this is, without reading it: so that what was worked out from gigabytes need not be worked out again.
//
// A file is the same as long as device, inode, size and the times of its last change are. The time at which the inode
// changed is among them; programs cannot set it, so that neither another file moved into place nor one that was written
// to and given its old date passes for the same. (Hashing parts of a file would miss a change in the others; hashing
// all of it takes seconds.) Two writes can fall into one tick of the clock, so a file that has just changed is not
// settled, and nothing is kept about it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace pccsql {

struct FileIdentity {
  std::string text;
  bool settled = false;  // nothing changed for two seconds
};

// Of several files, one after another: a model in parts.
Result<FileIdentity> file_identity(std::span<const std::string> paths);

// `x-00001-of-00003.gguf` and the two that belong to it; any other path alone.
std::vector<std::string> gguf_parts(const std::string& path);

// The SHA-256 of the files one after another. It is kept in the cache folder by the files' identity, where that can be
// written, and the next call reads only that.
Result<std::string> sha256_of_files(std::span<const std::string> paths);
// Keeps what the caller has computed while it wrote the file.
void remember_sha256(const std::string& path, const std::string& hex);

}  // namespace pccsql
