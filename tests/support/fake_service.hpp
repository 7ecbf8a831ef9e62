#pragma once

#include "canopy/study.hpp"

#include "files/json.hpp"
#include "journal/command_text.hpp"
#include "journal/event_document.hpp"
#include "stores/memory_store.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>

namespace canopy::testing {

/// A minimal server for tests of clients, with a store in memory and simulated network faults. It
/// does not verify what tuners send.
class FakeService {
 public:
  struct Reply {
    unsigned status = 200;
    std::string body = {};
    std::map<std::string, std::string> headers = {};
  };

  /// The fault that is simulated for a request.
  enum class Fault {
    none,
    lost,         ///< the connection is closed before the request is performed
    answer_lost,  ///< the request is performed, then the connection is closed
    unavailable,  ///< 503, with Retry-After: 0
    closes,       ///< the response is sent, then the connection is closed without notice
  };
  using Faults = std::function<Fault(const std::string& method, const std::string& target)>;

  struct Options {
    std::string token = {};                  ///< empty: not required
    std::string certificate = {}, key = {};  ///< PEM files; empty: no TLS
    std::chrono::milliseconds lease{10'000};
    unsigned short port = 0;  ///< 0: any free port
    std::shared_ptr<MemoryStudies> studies = std::make_shared<MemoryStudies>();
  };

  FakeService() : FakeService(Options()) {}
  explicit FakeService(Options options)
      : options_(std::move(options)),
        acceptor_(context_, {boost::asio::ip::make_address("127.0.0.1"), options_.port}, true) {
    if (!options_.certificate.empty()) {
      tls_.use_certificate_chain_file(options_.certificate);
      tls_.use_private_key_file(options_.key, boost::asio::ssl::context::pem);
    }
    acceptor_.non_blocking(true);
    thread_ = std::thread([this] { accept(); });
  }

  FakeService(const FakeService&) = delete;
  FakeService& operator=(const FakeService&) = delete;

  ~FakeService() {
    stopping_ = true;
    thread_.join();
    boost::system::error_code ignored;
    for (Tcp::socket& each : sockets_) each.shutdown(Tcp::socket::shutdown_both, ignored);
    for (std::thread& each : connections_) each.join();
  }

  [[nodiscard]] unsigned short port() const { return acceptor_.local_endpoint().port(); }
  [[nodiscard]] std::string url() const {
    return (options_.certificate.empty() ? "http://127.0.0.1:" : "https://localhost:") +
           std::to_string(port());
  }

  void set_faults(Faults faults) {
    const std::lock_guard lock(mutex_);
    faults_ = std::move(faults);
  }
  using Request = boost::beast::http::request<boost::beast::http::string_body>;

  /// Overrides the service's response, if it returns one.
  void set_other(std::function<std::optional<Reply>(const std::string& target)> other) {
    set_answer([other = std::move(other)](const Request& request) {
      return other(std::string(request.target()));
    });
  }
  void set_answer(std::function<std::optional<Reply>(const Request& request)> answer) {
    const std::lock_guard lock(mutex_);
    other_ = std::move(answer);
  }

  [[nodiscard]] std::uint64_t requests() const { return requests_; }
  [[nodiscard]] std::uint64_t connections() const { return accepted_; }
  /// The holder of a study, if there is one.
  [[nodiscard]] std::string holder(const std::string& study) {
    const std::lock_guard lock(mutex_);
    return tuner_of(study) != nullptr ? tuner_of(study)->holder : "";
  }

  /// Makes another process the holder of the study.
  void give_to(const std::string& study, const std::string& holder) {
    const std::lock_guard lock(mutex_);
    tuners_[study] = {holder, holder, SteadyClock::now() + std::chrono::hours(1)};
  }

  /// Calls a function with exclusive access to the store.
  template <class Work>
  auto with_store(Work&& work) {
    const std::lock_guard lock(mutex_);
    return work(store_);
  }

 private:
  using Tcp = boost::asio::ip::tcp;
  using SteadyClock = std::chrono::steady_clock;
  using Response = boost::beast::http::response<boost::beast::http::string_body>;

  struct Tuner {
    std::string id;
    std::string holder;
    SteadyClock::time_point until;
  };

  struct Refused {
    unsigned status;
    std::string code;
    std::string detail;
  };

  void accept() {
    while (!stopping_) {
      boost::system::error_code error;
      Tcp::socket socket(context_);
      (void)acceptor_.accept(socket, error);
      if (error) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        continue;
      }
      ++accepted_;
      sockets_.push_back(std::move(socket));
      connections_.emplace_back([this, &taken = sockets_.back()] {
        serve_connection(taken);
        boost::system::error_code ignored;
        taken.shutdown(Tcp::socket::shutdown_both, ignored);
      });
    }
  }

  void serve_connection(Tcp::socket& socket) {
    try {
      if (options_.certificate.empty()) {
        serve_on(socket);
      } else {
        boost::asio::ssl::stream<Tcp::socket&> stream(socket, tls_);
        stream.handshake(boost::asio::ssl::stream_base::server);
        serve_on(stream);
      }
    } catch (const boost::system::system_error&) {
      return;  // the client has disconnected
    }
  }

  template <class Stream>
  void serve_on(Stream& stream) {
    namespace http = boost::beast::http;
    boost::beast::flat_buffer buffer;
    for (;;) {
      http::request_parser<http::string_body> parser;
      parser.body_limit(boost::none);
      http::read(stream, buffer, parser);
      const Request request = parser.release();
      ++requests_;
      const std::string target(request.target());
      Fault fault = Fault::none;
      Reply answer;
      {
        const std::lock_guard lock(mutex_);
        if (faults_) fault = faults_(std::string(request.method_string()), target);
        if (fault == Fault::lost) return;
        answer = fault == Fault::unavailable
                     ? problem({503, "busy", "come back later"}, {{"Retry-After", "0"}})
                     : served(request);
      }
      if (fault == Fault::answer_lost) return;
      Response response;
      response.version(11);
      response.result(answer.status);
      for (const auto& [name, value] : answer.headers) response.set(name, value);
      response.body() = answer.body;
      response.prepare_payload();
      http::write(stream, response);
      if (fault == Fault::closes) return;
    }
  }

  static Reply problem(const Refused& refused, std::map<std::string, std::string> headers = {}) {
    headers["Content-Type"] = "application/problem+json";
    return {refused.status,
            json_text(Document::Table{
                {"status", refused.status}, {"code", refused.code}, {"detail", refused.detail}}),
            std::move(headers)};
  }

  /// Splits a target into the parts of its path and the parameters of its query.
  struct Target {
    std::vector<std::string> path;
    std::map<std::string, std::string> query;

    explicit Target(std::string_view text) {
      const std::string_view before = text.substr(0, text.find('?'));
      std::string_view rest = before;
      while (!rest.empty()) {
        rest.remove_prefix(1);
        path.push_back(decoded(rest.substr(0, rest.find('/'))));
        rest.remove_prefix(std::min(rest.find('/'), rest.size()));
      }
      rest = text.substr(std::min(before.size() + 1, text.size()));
      while (!rest.empty()) {
        const std::string_view pair = rest.substr(0, rest.find('&'));
        const std::size_t equals = pair.find('=');
        query[std::string(pair.substr(0, equals))] = decoded(pair.substr(equals + 1));
        rest.remove_prefix(std::min(pair.size() + 1, rest.size()));
      }
    }

    static std::string decoded(std::string_view text) {
      std::string result;
      for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '%') {
          result += static_cast<char>(std::stoi(std::string(text.substr(i + 1, 2)), nullptr, 16));
          i += 2;
        } else {
          result += text[i];
        }
      }
      return result;
    }
  };

  Reply served(const Request& request) {
    const std::string target(request.target());
    if (other_) {
      if (const auto answer = other_(request)) return *answer;
    }
    try {
      const std::string sent(request["Authorization"]);
      if (!options_.token.empty() && sent != "Bearer " + options_.token) {
        throw Refused{401, "unknown_token", "there is no such token"};
      }
      const Document body =
          request.body().empty() ? Document() : parse_json(request.body(), "the request");
      const Document answer = done(std::string(request.method_string()), Target(target), body);
      if (answer.kind() == Document::Kind::nothing) return {.status = 204};
      return {.status = 200, .body = json_text(answer)};
    } catch (const Refused& refused) {
      return problem(refused);
    } catch (const std::exception& error) {
      return problem({500, "failure", error.what()});
    }
  }

  Document done(const std::string& method, const Target& target, const Document& body) {
    if (target.path.size() == 2) return method == "GET" ? list(target) : create(body);
    const std::string& name = target.path.at(2);
    const auto record = store_.find(name);
    if (!record) throw Refused{404, "unknown_study", "there is no study " + name};
    const std::string what = target.path.size() > 3 ? target.path[3] : "";
    if (what.empty() && method == "GET") return item(*record, true);
    if (what.empty()) {
      store_.erase(record->id);
      return {};
    }
    if (what == "specification") {
      require_no_other_tuner(name, *body.find("tuner")->as_text());
      store_.set_specification(record->id, json_text(*body.find("specification")));
      return {};
    }
    if (what == "events") return events(*record, target);
    if (what == "tuner") return method == "PUT" ? take(name, body) : release(name, target);
    if (what == "tuner-events") return append(*record, body);
    if (what == "commands")
      return method == "GET" ? commands(*record, target) : command(*record, body);
    if (what == "snapshot" && method == "GET") return snapshot(*record);
    return {};
  }

  Tuner* tuner_of(const std::string& study) {
    const auto found = tuners_.find(study);
    return found != tuners_.end() && SteadyClock::now() < found->second.until ? &found->second
                                                                              : nullptr;
  }

  void require_no_other_tuner(const std::string& study, const std::string& id) {
    const Tuner* tuner = tuner_of(study);
    if (tuner == nullptr || tuner->id == id) return;
    throw Refused{409, "open_elsewhere", "the study is run by a tuner: " + tuner->holder};
  }

  Document item(const StudyRecord& record, bool whole) {
    Document table = Document::Table{{"name", record.name},       {"state", "idle"},
                                     {"events", record.events},   {"pulls", record.pulls},
                                     {"created", record.created}, {"updated", record.updated}};
    if (!record.forked_from.empty()) table.set("forked_from", record.forked_from);
    if (const Tuner* tuner = tuner_of(record.name)) table.set("open_by", tuner->holder);
    if (whole) {
      table.set("id", record.id);
      table.set("specification", parse_json(record.specification, record.name));
    }
    return table;
  }

  Document list(const Target& target) {
    const std::size_t limit = std::stoul(target.query.at("limit"));
    const std::vector<StudyRecord> records = store_.list({target.query.at("after"), limit + 1});
    Document::List studies;
    for (const StudyRecord& record : records) {
      if (studies.size() < limit) studies.push_back(item(record, false));
    }
    const bool more = records.size() > limit;
    return Document::Table{{"studies", std::move(studies)},
                           {"next", more ? Document(records[limit - 1].name) : Document()}};
  }

  Document create(const Document& body) {
    if (const Document* original = body.find("fork_of")) {
      const StudySpecification specification =
          parse_study_json(json_text(*body.find("specification")), "study");
      const std::string& name = *body.find("name")->as_text();
      (void)Study::open(store_, specification, {.name = *original->as_text(), .fork = name});
      return item(find_study(store_, name), true);
    }
    NewStudy study{.name = *body.find("name")->as_text(),
                   .specification = json_text(*body.find("specification")),
                   .created = *body.find("created")->as_number()};
    if (const Document* forked = body.find("forked_from")) study.forked_from = *forked->as_text();
    if (const Document* copied = body.find("copied_from")) {
      study.copied = find_study(store_, *copied->as_text()).id;
    }
    std::vector<JournalEntry> journal;
    if (const Document* entries = body.find("journal")) {
      const StudySpecification begun = parse_study_json(study.specification, "study");
      for (const Document& each : *entries->as_list()) {
        journal.push_back(entry_from(each, {begun.space, begun.contexts}, "journal"));
      }
    }
    study.journal = journal;
    if (const Document* pulls = body.find("pulls")) {
      study.pulls = static_cast<std::uint64_t>(*pulls->as_whole());
    }
    const auto made = store_.create(study);
    if (!made) throw Refused{409, "taken", "there already is a study " + study.name};
    return item(*made, true);
  }

  Document events(const StudyRecord& record, const Target& target) {
    const StudySpecification begun = specification_of(record);
    std::uint64_t next = std::stoull(target.query.at("after"));
    Document::List events;
    store_.read(record.id, {next, std::stoull(target.query.at("limit"))},
                [&](const JournalEntry& entry) {
                  events.push_back(entry_document({begun.space, begun.contexts}, entry));
                  next = entry.number;
                });
    return Document::Table{{"events", std::move(events)}, {"next", next}};
  }

  Document take(const std::string& study, const Document& body) {
    const std::string& id = *body.find("tuner")->as_text();
    require_no_other_tuner(study, id);
    const Document* holder = body.find("holder");
    tuners_[study] = {id, holder != nullptr ? *holder->as_text() : "a tuner",
                      SteadyClock::now() + options_.lease};
    return Document::Table{{"seconds", std::chrono::duration<double>(options_.lease).count()}};
  }

  Document release(const std::string& study, const Target& target) {
    const Tuner* tuner = tuner_of(study);
    if (tuner != nullptr && tuner->id == target.query.at("tuner")) tuners_.erase(study);
    return {};
  }

  Document append(const StudyRecord& record, const Document& body) {
    const std::string& id = *body.find("tuner")->as_text();
    require_no_other_tuner(record.name, id);
    const StudySpecification begun = specification_of(record);
    std::vector<JournalEntry> entries;
    std::uint64_t number = static_cast<std::uint64_t>(*body.find("after")->as_whole());
    const std::uint64_t after = number;
    for (const Document& each : *body.find("events")->as_list()) {
      entries.push_back(
          {++number, record.updated, event_from(each, {begun.space, begun.contexts}, "events")});
    }
    if (record.events != after) {
      std::size_t same = 0;
      store_.read(record.id, {after}, [&](const JournalEntry& entry) {
        if (same < entries.size() && entry.event == entries[same].event) ++same;
      });
      if (same != entries.size()) throw Refused{409, "moved_on", "the journal has moved on"};
    } else {
      std::uint64_t pulls = record.pulls;
      for (const JournalEntry& entry : entries) {
        if (std::holds_alternative<Told>(entry.event)) ++pulls;
      }
      store_.append({record.id, entries, pulls});
    }
    if (tuner_of(record.name) == nullptr) tuners_[record.name] = {id, "a tuner", {}};
    tuners_[record.name].until = SteadyClock::now() + options_.lease;
    return Document::Table{{"events", number}};
  }

  Document command(const StudyRecord& record, const Document& body) {
    const Document* pulls = body.find("pulls");
    const WantedCommand wanted{
        *value_named<RunnerCommand>(*body.find("command")->as_text()), "the token",
        pulls != nullptr ? static_cast<std::uint64_t>(*pulls->as_whole()) : 0};
    return Document::Table{{"number", store_.post_command(record.id, 1.0, command_text(wanted))}};
  }

  Document commands(const StudyRecord& record, const Target& target) {
    Document::List commands;
    for (const PostedCommand& each :
         store_.commands(record.id, std::stoull(target.query.at("after")))) {
      const WantedCommand wanted = command_from(each.text);
      commands.emplace_back(Document::Table{{"number", each.number},
                                            {"at", each.at},
                                            {"command", name_of(wanted.command)},
                                            {"by", wanted.by},
                                            {"pulls", wanted.pulls}});
    }
    return Document::Table{{"commands", std::move(commands)}};
  }

  Document snapshot(const StudyRecord& record) {
    const auto kept = store_.snapshot(record.id);
    if (!kept) throw Refused{404, "no_snapshot", "there is none"};
    return Document::Table{
        {"events", kept->events}, {"optimizer", kept->optimizer}, {"tuner", kept->tuner}};
  }

  Options options_;
  boost::asio::io_context context_;
  boost::asio::ssl::context tls_{boost::asio::ssl::context::tls_server};
  Tcp::acceptor acceptor_;
  std::atomic<bool> stopping_{false};
  std::atomic<std::uint64_t> requests_{0};
  std::atomic<std::uint64_t> accepted_{0};

  std::mutex mutex_;  // protects the members below
  MemoryStore store_{options_.studies};
  std::map<std::string, Tuner> tuners_;
  Faults faults_;
  std::function<std::optional<Reply>(const Request&)> other_;

  std::thread thread_;
  std::list<Tcp::socket> sockets_;  // closed at the end
  std::list<std::thread> connections_;
};

}  // namespace canopy::testing
