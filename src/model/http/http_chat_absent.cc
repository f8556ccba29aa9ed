// Chat endpoints in a build without cpp-httplib: says so, and how to get it.
#include "model/http/http_chat.h"

namespace pccsql {

bool is_url(std::string_view text) { return text.starts_with("http://") || text.starts_with("https://"); }

std::string api_key_for(const std::string&) { return {}; }

Result<std::unique_ptr<ChatModel>> make_http_chat(const HttpOptions& options) {
  return Error{"`" + options.url + "` cannot be asked: pccsql was built without cpp-httplib (on Debian: " +
                   "apt-get install libcpp-httplib-dev libssl-dev), then build again",
               "",
               {}};
}

}  // namespace pccsql
