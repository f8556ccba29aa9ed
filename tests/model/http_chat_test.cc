// Chat endpoints, good and bad, played by a server in this process.
#include "model/http/http_chat.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <httplib.h>
#include <nlohmann/json.hpp>

#include "model/http/chat_protocol.h"

namespace pccsql {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

const char* const kGood =
    R"({"choices":[{"message":{"role":"assistant","content":"SELECT 1"},"finish_reason":"stop"}],)"
    R"("usage":{"prompt_tokens":41,"completion_tokens":3,"prompt_tokens_details":{"cached_tokens":40}}})";

// Answers the n-th request (from 0) as it is told.
class FakeEndpoint {
 public:
  using Answer = std::function<void(size_t n, const httplib::Request&, httplib::Response&)>;

  explicit FakeEndpoint(Answer answer) : answer_(std::move(answer)) {
    server_.Post(".*", [this](const httplib::Request& request, httplib::Response& response) {
      size_t n = 0;
      {
        const std::lock_guard lock(mutex_);
        n = requests_.size();
        requests_.push_back(request);
      }
      answer_(n, request, response);
    });
    port_ = server_.bind_to_any_port("127.0.0.1");
    thread_ = std::thread([this] { server_.listen_after_bind(); });
    while (!server_.is_running()) std::this_thread::sleep_for(milliseconds(1));
  }
  ~FakeEndpoint() {
    server_.stop();
    thread_.join();
  }

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_) + "/v1"; }
  std::vector<httplib::Request> requests() {
    const std::lock_guard lock(mutex_);
    return requests_;
  }

 private:
  Answer answer_;
  httplib::Server server_;
  int port_ = 0;
  std::thread thread_;
  std::mutex mutex_;
  std::vector<httplib::Request> requests_;
};

HttpOptions quick(const std::string& url) {
  HttpOptions options;
  options.url = url;
  options.model = "some-model";
  options.first_pause = milliseconds(1);
  options.retries = 3;
  return options;
}

const std::vector<Message> kMessages{{Speaker::System, "rules"}, {Speaker::User, "how many \"rows\"?\n\xff"}};

Result<Completion> asked(const HttpOptions& options, size_t max_tokens = 99) {
  auto chat = make_http_chat(options);
  if (!chat) return chat.error();
  CompletionOptions completion;
  completion.max_tokens = max_tokens;
  return (*chat)->complete(kMessages, completion);
}

std::string error_of(const HttpOptions& options) {
  const auto answer = asked(options);
  EXPECT_FALSE(answer);
  return answer ? "" : answer.error().message;
}

TEST(HttpChat, AsksAndUnderstandsTheAnswer) {
  FakeEndpoint endpoint([](size_t, const auto&, auto& response) { response.set_content(kGood, "application/json"); });
  HttpOptions options = quick(endpoint.url());
  options.key = "secret";
  const auto answer = asked(options, 77);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->text, "SELECT 1");
  EXPECT_TRUE(answer->finished);
  EXPECT_EQ(answer->work.calls, 1U);
  EXPECT_EQ(answer->work.prompt_tokens, 41U);
  EXPECT_EQ(answer->work.cached_prompt_tokens, 40U);
  EXPECT_EQ(answer->work.generated_tokens, 3U);
  EXPECT_GT(answer->work.model_ns, 0U);

  ASSERT_EQ(endpoint.requests().size(), 1U);
  const httplib::Request request = endpoint.requests()[0];
  EXPECT_EQ(request.path, "/v1/chat/completions");
  EXPECT_EQ(request.get_header_value("Authorization"), "Bearer secret");
  const auto body = nlohmann::json::parse(request.body);
  EXPECT_EQ(body["model"], "some-model");
  EXPECT_EQ(body["max_tokens"], 77);
  EXPECT_EQ(body["temperature"], 0);
  EXPECT_EQ(body["stream"], false);
  ASSERT_EQ(body["messages"].size(), 2U);
  EXPECT_EQ(body["messages"][0]["role"], "system");
  EXPECT_EQ(body["messages"][1]["content"], "how many \"rows\"?\n\xef\xbf\xbd");
}

TEST(HttpChat, SendsNoKeyWhereThereIsNone) {
  FakeEndpoint endpoint([](size_t, const auto&, auto& response) { response.set_content(kGood, "application/json"); });
  ASSERT_TRUE(asked(quick(endpoint.url())));
  EXPECT_FALSE(endpoint.requests()[0].has_header("Authorization"));
}

TEST(HttpChat, AsksABusyEndpointAgain) {
  for (const int status : {429, 500, 502, 503, 504}) {
    FakeEndpoint endpoint([status](size_t n, const auto&, auto& response) {
      if (n < 2) {
        response.status = status;
      } else {
        response.set_content(kGood, "application/json");
      }
    });
    const auto answer = asked(quick(endpoint.url()));
    ASSERT_TRUE(answer) << status << ": " << answer.error().message;
    EXPECT_EQ(endpoint.requests().size(), 3U);
  }
}

TEST(HttpChat, GivesUpAfterSoManyAttempts) {
  FakeEndpoint endpoint([](size_t, const auto&, auto& response) {
    response.status = 503;
    response.set_content(R"({"error":{"message":"overloaded"}})", "application/json");
  });
  const std::string error = error_of(quick(endpoint.url()));
  EXPECT_EQ(endpoint.requests().size(), 4U);
  EXPECT_NE(error.find("status 503, after 4 attempts: `overloaded`"), std::string::npos) << error;
}

TEST(HttpChat, WaitsAsLongAsItIsTold) {
  FakeEndpoint endpoint([](size_t n, const auto&, auto& response) {
    if (n == 0) {
      response.status = 429;
      response.set_header("Retry-After", "1");
    } else {
      response.set_content(kGood, "application/json");
    }
  });
  const auto start = Clock::now();
  ASSERT_TRUE(asked(quick(endpoint.url())));
  EXPECT_GE(Clock::now() - start, milliseconds(1000));
}

TEST(HttpChat, DoesNotWaitForHours) {
  FakeEndpoint endpoint([](size_t, const auto&, auto& response) {
    response.status = 429;
    response.set_header("Retry-After", "7200");
  });
  const std::string error = error_of(quick(endpoint.url()));
  EXPECT_EQ(endpoint.requests().size(), 1U);
  EXPECT_NE(error.find("a pause of 7200 s"), std::string::npos) << error;
}

TEST(HttpChat, ThePauseDoubles) {
  FakeEndpoint endpoint([](size_t, const auto&, auto& response) { response.status = 500; });
  HttpOptions options = quick(endpoint.url());
  options.first_pause = milliseconds(40);
  const auto start = Clock::now();
  (void)error_of(options);
  EXPECT_GE(Clock::now() - start, milliseconds(40 + 80 + 160));
}

TEST(HttpChat, OtherStatusesAreErrorsAtOnce) {
  const auto error_for = [](int status, HttpOptions options = {}) {
    FakeEndpoint endpoint([status](size_t, const auto&, auto& response) {
      response.status = status;
      if (status == 302) response.set_header("Location", "http://elsewhere/");
      response.set_content("no\n\x1b[31m", "text/plain");
    });
    HttpOptions asking = quick(endpoint.url());
    asking.key = options.key;
    const std::string error = error_of(asking);
    EXPECT_EQ(endpoint.requests().size(), 1U) << status;
    EXPECT_NE(error.find("status " + std::to_string(status)), std::string::npos) << error;
    EXPECT_EQ(error.find('\x1b'), std::string::npos);
    return error;
  };
  EXPECT_NE(error_for(401).find("PCCSQL_API_KEY"), std::string::npos);
  HttpOptions with_key;
  with_key.key = "secret";
  const std::string refused = error_for(403, with_key);
  EXPECT_NE(refused.find("the key was not accepted"), std::string::npos);
  EXPECT_EQ(refused.find("secret"), std::string::npos);
  EXPECT_NE(error_for(404).find("the model `some-model`"), std::string::npos);
  EXPECT_NE(error_for(302).find("not followed"), std::string::npos);
  (void)error_for(400);
  (void)error_for(204);
}

TEST(HttpChat, RubbishIsAnErrorThatShowsIt) {
  for (const char* body :
       {"", "hello", "<html>", "[]", "{}", "null", "7", R"({"choices":[]})", R"({"choices":{}})", R"({"choices":[7]})",
        R"({"choices":[{"message":null}]})", R"({"choices":[{"message":{"content":null}}]})",
        R"({"choices":[{"message":{"content":7}}]})", R"({"choices":[{"message":{"content":"x"}])", "\xff\xfe"}) {
    FakeEndpoint endpoint([body](size_t, const auto&, auto& response) { response.set_content(body, "text/html"); });
    const std::string error = error_of(quick(endpoint.url()));
    EXPECT_NE(error.find("the endpoint's answer"), std::string::npos) << body << ": " << error;
    EXPECT_EQ(endpoint.requests().size(), 1U);
  }
}

TEST(HttpChat, AnAnswerThatWasCutOffIsNotFinished) {
  const auto cut = parse_chat_answer(R"({"choices":[{"message":{"content":"SELECT"},"finish_reason":"length"}]})");
  ASSERT_TRUE(cut);
  EXPECT_FALSE(cut->finished);
  EXPECT_EQ(cut->work.prompt_tokens, 0U);
  const auto odd = parse_chat_answer(R"({"choices":[{"message":{"content":"x"}}],"usage":{"prompt_tokens":-1}})");
  ASSERT_TRUE(odd);
  EXPECT_TRUE(odd->finished);
}

TEST(HttpChat, AnEndpointThatIsDownIsAnErrorAtOnce) {
  std::string url;
  {
    FakeEndpoint endpoint([](size_t, const auto&, auto&) {});
    url = endpoint.url();
  }
  const auto start = Clock::now();
  HttpOptions options = quick(url);
  options.first_pause = milliseconds(5000);
  const std::string error = error_of(options);
  EXPECT_NE(error.find("nobody answers there"), std::string::npos) << error;
  EXPECT_NE(error.find(url.substr(0, url.size() - 3)), std::string::npos) << error;
  EXPECT_LT(Clock::now() - start, milliseconds(4000));
}

TEST(HttpChat, AnAnswerThatDoesNotComeIsTimedOut) {
  std::atomic<bool> over = false;
  FakeEndpoint endpoint([&over](size_t, const auto&, auto& response) {
    while (!over) std::this_thread::sleep_for(milliseconds(5));
    response.set_content(kGood, "application/json");
  });
  HttpOptions options = quick(endpoint.url());
  options.answer_timeout = milliseconds(150);
  const std::string error = error_of(options);
  over = true;
  EXPECT_NE(error.find("no answer within 150 ms"), std::string::npos) << error;
  EXPECT_EQ(endpoint.requests().size(), 1U);
}

TEST(HttpChat, IsStoppedWhileItWaits) {
  std::atomic<bool> over = false;
  FakeEndpoint endpoint([&over](size_t n, const auto&, auto& response) {
    while (n == 0 && !over) std::this_thread::sleep_for(milliseconds(5));
    response.set_content(kGood, "application/json");
  });
  auto chat = make_http_chat(quick(endpoint.url()));
  ASSERT_TRUE(chat);
  std::atomic<bool> stop = false;
  (*chat)->stop_on(&stop);
  std::thread later([&] {
    std::this_thread::sleep_for(milliseconds(100));
    stop = true;
  });
  const auto start = Clock::now();
  const auto stopped = (*chat)->complete(kMessages, {});
  EXPECT_LT(Clock::now() - start, milliseconds(5000));
  later.join();
  over = true;
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().message, "stopped");
  stop = false;
  EXPECT_TRUE((*chat)->complete(kMessages, {}));
}

TEST(HttpChat, UrlsAreUnderstoodOrRefused) {
  const auto path = [](std::string_view url) {
    const auto endpoint = parse_endpoint(url);
    return endpoint ? endpoint->origin + " " + endpoint->path : "error";
  };
  EXPECT_EQ(path("http://host:8080/v1"), "http://host:8080 /v1/chat/completions");
  EXPECT_EQ(path("http://host:8080"), "http://host:8080 /v1/chat/completions");
  EXPECT_EQ(path("https://host/api/v1/"), "https://host /api/v1/chat/completions");
  EXPECT_EQ(path("https://host/v1/chat/completions"), "https://host /v1/chat/completions");
  EXPECT_EQ(path("http://[::1]:80/v1"), "http://[::1]:80 /v1/chat/completions");
  EXPECT_EQ(parse_endpoint("http://[::1]:80/v1")->host, "::1");
  for (const char* bad : {"", "host", "ftp://host", "http://", "http:///v1", "http://:80", "http://host:0",
                          "http://host:x", "http://host:70000", "http://user:pw@host/v1", "http://host/v1?x=1",
                          "http://ho st", "http://[::1", "http://host/v1#x"}) {
    EXPECT_EQ(path(bad), "error") << bad;
  }
  HttpOptions nameless = quick("http://host/v1");
  nameless.model = "";
  EXPECT_FALSE(make_http_chat(nameless));
  HttpOptions torn = quick("http://host/v1");
  torn.key = "a\r\nX: y";
  EXPECT_FALSE(make_http_chat(torn));
}

TEST(HttpChat, ABorrowedKeyIsNotSentWhereItCanBeOverheard) {
  ASSERT_EQ(setenv("OPENAI_API_KEY", "theirs", 1), 0);
  ASSERT_EQ(unsetenv("PCCSQL_API_KEY"), 0);
  EXPECT_EQ(api_key_for("https://host/v1"), "theirs");
  EXPECT_EQ(api_key_for("http://127.0.0.1:80/v1"), "theirs");
  EXPECT_EQ(api_key_for("http://localhost/v1"), "theirs");
  EXPECT_EQ(api_key_for("http://host/v1"), "");
  EXPECT_EQ(api_key_for("http://localhost.evil/v1"), "");
  ASSERT_EQ(setenv("PCCSQL_API_KEY", "ours", 1), 0);
  EXPECT_EQ(api_key_for("http://host/v1"), "ours");
  ASSERT_EQ(unsetenv("PCCSQL_API_KEY"), 0);
  ASSERT_EQ(unsetenv("OPENAI_API_KEY"), 0);
}

}  // namespace
}  // namespace pccsql
