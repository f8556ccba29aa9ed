#include "model/http/http_chat.h"

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include <httplib.h>

#include "model/http/chat_protocol.h"

namespace pccsql {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr milliseconds kGlance{20};  // how often a wait looks at the stop flag
constexpr size_t kLongestAnswer = size_t{64} << 20;

struct Reply {
  int status = 0;  // 0: none came
  std::string body;
  std::string retry_after;
  std::string location;
  std::string failure;  // why none came
  bool may_repeat = false;
};

class HttpChat : public ChatModel {
 public:
  HttpChat(HttpOptions options, Endpoint endpoint)
      : options_(std::move(options)), endpoint_(std::move(endpoint)), client_(endpoint_.origin) {
    client_.set_connection_timeout(options_.connect_timeout);
    // The deadline is kept in ask(); these are only there so that no thread is ever left behind.
    client_.set_read_timeout(options_.answer_timeout + options_.connect_timeout);
    client_.set_write_timeout(options_.answer_timeout + options_.connect_timeout);
    client_.set_follow_location(false);
    client_.set_keep_alive(true);
  }

  bool usable() const { return client_.is_valid(); }

  const std::string& name() const override { return options_.model; }
  void stop_on(const std::atomic<bool>* stop) override { stop_ = stop; }

  Result<Completion> complete(std::span<const Message> messages, const CompletionOptions& options) override {
    const std::string request = chat_request(options_.model, messages, options.max_tokens);
    milliseconds pause = options_.first_pause;
    for (size_t attempt = 0;; ++attempt) {
      if (stopped()) return error("stopped");
      const auto start = Clock::now();
      const Reply reply = ask(request);
      if (stopped()) return error("stopped");
      if (reply.status == 200) {
        auto completion = parse_chat_answer(reply.body);
        if (!completion) return error(completion.error().message);
        const auto ns = std::chrono::nanoseconds(Clock::now() - start).count();
        completion->work.model_ns = static_cast<uint64_t>(ns);
        if (options.on_text && !completion->text.empty()) options.on_text(completion->text);
        return completion;
      }
      const milliseconds wait = std::max(pause, asked_for(reply));
      if (!worth_another(reply) || attempt == options_.retries || wait > options_.longest_pause) {
        return error(describe(reply, attempt + 1, wait));
      }
      if (!wait_for(wait)) return error("stopped");
      pause *= 2;
    }
  }

 private:
  bool stopped() const { return stop_ != nullptr && *stop_; }

  Error error(const std::string& message) const {
    return Error{message == "stopped" ? message : endpoint_.origin + ": " + message, "", {}};
  }

  // On a thread of its own, so that this one can see the flag and the clock while nothing arrives.
  Reply ask(const std::string& body) {
    httplib::Request request;
    request.method = "POST";
    request.path = endpoint_.path;
    request.body = body;
    request.set_header("Content-Type", "application/json");
    if (!options_.key.empty()) request.set_header("Authorization", "Bearer " + options_.key);
    std::string received;
    request.content_receiver = [&](const char* data, size_t size, uint64_t, uint64_t) {
      received.append(data, size);
      return received.size() <= kLongestAnswer && !stopped();
    };

    std::mutex mutex;
    std::condition_variable arrived;
    bool done = false;
    Reply reply;
    std::thread worker([&] {
      Reply mine;
      try {
        mine = reply_of(client_.send(request));
      } catch (const std::exception& problem) {
        mine.failure = problem.what();
      }
      const std::lock_guard lock(mutex);
      reply = std::move(mine);
      done = true;
      arrived.notify_one();
    });
    const auto deadline = Clock::now() + options_.answer_timeout;
    bool late = false;
    {
      std::unique_lock lock(mutex);
      while (!arrived.wait_for(lock, kGlance, [&] { return done; })) {
        late = Clock::now() >= deadline;
        if (!late && !stopped()) continue;
        lock.unlock();
        client_.stop();
        lock.lock();
      }
    }
    worker.join();
    if (late) return no_reply("no answer within " + std::to_string(options_.answer_timeout.count()) + " ms");
    if (received.size() > kLongestAnswer) return no_reply("the answer is longer than 64 MB");
    reply.body = std::move(received);
    return reply;
  }

  static Reply no_reply(std::string why) {
    Reply reply;
    reply.failure = std::move(why);
    return reply;
  }

  Reply reply_of(const httplib::Result& result) const {
    Reply reply;
    if (result) {
      reply.status = result->status;
      reply.retry_after = result->get_header_value("Retry-After");
      reply.location = result->get_header_value("Location");
      return reply;
    }
    switch (result.error()) {
      case httplib::Error::Connection:
        reply.failure = "nobody answers there (the connection was refused, or the host is not known)";
        break;
      case httplib::Error::ConnectionTimeout:
        reply.failure = "no connection within " + std::to_string(options_.connect_timeout.count()) + " ms";
        break;
      case httplib::Error::SSLConnection:
      case httplib::Error::SSLLoadingCerts:
      case httplib::Error::SSLServerVerification:
        reply.failure = "no secure connection: its certificate cannot be verified, or it does not speak TLS";
        break;
      case httplib::Error::Read:
      case httplib::Error::Write:
        reply.failure = "the connection broke off before there was an answer";
        reply.may_repeat = true;
        break;
      default:
        reply.failure = "the request failed (" + httplib::to_string(result.error()) + ")";
    }
    return reply;
  }

  static bool worth_another(const Reply& reply) {
    return reply.may_repeat || reply.status == 429 || (reply.status >= 500 && reply.status <= 599);
  }

  // A Retry-After in seconds; one that is a date, or anything else, asks for nothing.
  static milliseconds asked_for(const Reply& reply) {
    const std::string& text = reply.retry_after;
    const bool number = !text.empty() && text.size() <= 9 && text.find_first_not_of("0123456789") == std::string::npos;
    return std::chrono::seconds(number ? std::stoll(text) : 0);
  }

  std::string describe(const Reply& reply, size_t attempts, milliseconds wait) const {
    const std::string times = attempts > 1 ? ", after " + std::to_string(attempts) + " attempts" : "";
    if (reply.status == 0) return reply.failure + times;
    std::string text = "answered with status " + std::to_string(reply.status) + times;
    if (const std::string told = told_by(reply.body); !told.empty()) text += ": `" + told + "`";
    if (reply.status == 401 || reply.status == 403) {
      text += options_.key.empty() ? "; a key goes into the variable PCCSQL_API_KEY" : "; the key was not accepted";
    } else if (reply.status == 404) {
      text += "; is `" + endpoint_.path + "` its path, and does it have the model `" + options_.model + "`?";
    } else if (reply.status >= 300 && reply.status < 400) {
      text += "; it sends elsewhere (`" + reply.location + "`), which is not followed";
    } else if (worth_another(reply) && wait > options_.longest_pause) {
      text += "; it asks for a pause of " + std::to_string(wait.count() / 1000) + " s";
    }
    return text;
  }

  // False: stopped meanwhile.
  bool wait_for(milliseconds time) const {
    const auto until = Clock::now() + time;
    while (Clock::now() < until) {
      if (stopped()) return false;
      std::this_thread::sleep_for(std::min<Clock::duration>(kGlance, until - Clock::now()));
    }
    return !stopped();
  }

  HttpOptions options_;
  Endpoint endpoint_;
  httplib::Client client_;
  const std::atomic<bool>* stop_ = nullptr;
};

}  // namespace

bool is_url(std::string_view text) { return text.starts_with("http://") || text.starts_with("https://"); }

std::string api_key_for(const std::string& url) {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  if (std::string own = variable("PCCSQL_API_KEY"); !own.empty()) return own;
  const auto endpoint = parse_endpoint(url);
  if (!endpoint) return {};
  const bool here = endpoint->host == "localhost" || endpoint->host == "::1" || endpoint->host.starts_with("127.");
  return endpoint->secure || here ? variable("OPENAI_API_KEY") : "";
}

Result<std::unique_ptr<ChatModel>> make_http_chat(const HttpOptions& options) {
  auto endpoint = parse_endpoint(options.url);
  if (!endpoint) return endpoint.error();
  if (options.model.empty()) {
    return Error{"an endpoint needs the name of a model; `--model-name` gives it", "", {}};
  }
  if (options.key.find_first_of("\r\n") != std::string::npos) return Error{"the key has more than one line", "", {}};
  try {
    auto chat = std::make_unique<HttpChat>(options, *endpoint);
    if (!chat->usable()) return Error{"`" + options.url + "` cannot be used as an endpoint", "", {}};
    return std::unique_ptr<ChatModel>(std::move(chat));
  } catch (const std::exception& problem) {
    return Error{"`" + options.url + "` cannot be used as an endpoint: " + problem.what(), "", {}};
  }
}

}  // namespace pccsql
