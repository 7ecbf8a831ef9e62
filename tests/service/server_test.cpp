#include "service/server.hpp"

#include "canopy/stores.hpp"
#include "canopy/study.hpp"

#include "files/percent_encoding.hpp"
#include "service/openapi.hpp"
#include "service/service.hpp"
#include "service/tokens.hpp"
#include "support/http_exchange.hpp"
#include "support/test_server.hpp"

#include <chrono>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace canopy::service {
namespace {

using nlohmann::json;
using testing::HttpAnswer;
using testing::HttpConnection;
using testing::TestServer;

const std::string kStudy = "/v1/studies/a";

std::string ask_one(HttpConnection& connection, const std::string& body = "{}") {
  const HttpAnswer answer = connection.exchange("POST", kStudy + "/asks", body);
  EXPECT_EQ(answer.status, 200) << answer.body;
  return answer.json().at("tickets").at(0).at("ticket");
}

std::string tell_body(const std::string& ticket, double reward) {
  return json{{"tells", {{{"ticket", ticket}, {"reward", reward}}}}}.dump();
}

TEST(Server, AsksAndTells) {
  TestServer server;
  server.make_study("a");
  HttpConnection connection(server.port());
  const std::string ticket = ask_one(connection, R"({"pulls":1})");
  EXPECT_TRUE(ticket.starts_with("1-")) << ticket;
  const HttpAnswer told = connection.exchange("POST", kStudy + "/tells", tell_body(ticket, 0.5));
  EXPECT_EQ(told.status, 200);
  EXPECT_EQ(told.json().at("t"), 2);
  EXPECT_EQ(connection.exchange("GET", kStudy + "/best").json().at("mean"), 0.5);
  EXPECT_EQ(connection.exchange("GET", kStudy + "/summary").json().at("t"), 2);
  EXPECT_EQ(connection.exchange("GET", kStudy + "/asks").json().at("tickets").size(), 0U);
}

TEST(Server, GivesSeveralTicketsAtOnce) {
  TestServer server;
  server.make_study("a", "adaptive");
  const HttpAnswer answer = server.exchange("POST", kStudy + "/asks", R"({"pulls":1,"count":5})");
  EXPECT_EQ(answer.json().at("tickets").size(), 5U);
  EXPECT_EQ(server.exchange("GET", kStudy + "/asks").json().at("tickets").size(), 5U);
}

TEST(Server, TellsOfAListAreAnsweredOneByOne) {
  TestServer server;
  server.make_study("a");
  HttpConnection connection(server.port());
  const std::string ticket = ask_one(connection);
  const HttpAnswer some =
      connection.exchange("POST", kStudy + "/tells",
                          json{{"tells",
                                {{{"ticket", ticket}, {"reward", 1}},
                                 {{"ticket", "77" + ticket.substr(1)}, {"reward", 1}}}}}
                              .dump());
  EXPECT_EQ(some.status, 200);
  EXPECT_EQ(some.json()["results"][0]["ok"], true);
  EXPECT_EQ(some.json()["results"][1]["error"]["code"], "unknown_ticket");
  const HttpAnswer none =
      connection.exchange("POST", kStudy + "/tells", tell_body("77" + ticket.substr(1), 1.0));
  EXPECT_EQ(none.status, 409);
  EXPECT_EQ(none.code(), "unknown_ticket");
}

TEST(Server, EverythingThatIsWrongWithARequestIsSaidAtOnce) {
  TestServer server;
  server.make_study("a");
  const HttpAnswer answer =
      server.exchange("POST", kStudy + "/tells",
                      R"({"tells":[{"ticket":"x"},{"tickt":1,"reward":"y"},3],"more":1})");
  EXPECT_EQ(answer.status, 422);
  std::set<std::string> fields;
  const json problem = answer.json();
  for (const json& each : problem.at("errors")) fields.insert(each.at("field"));
  EXPECT_EQ(fields, (std::set<std::string>{"more", "tells[0]", "tells[0].ticket", "tells[1].reward",
                                           "tells[1].tickt", "tells[1].ticket", "tells[2]",
                                           "tells[2].ticket"}));
  EXPECT_EQ(server.exchange("GET", kStudy + "/events").json().at("events").size(), 0U);
}

TEST(Server, TheSameKeyGivesTheSameAnswer) {
  TestServer server;
  server.make_study("a");
  const std::string key = "Idempotency-Key: 123\r\n";
  const HttpAnswer first = server.exchange("POST", kStudy + "/asks", R"({"pulls":1})", key);
  const HttpAnswer again = server.exchange("POST", kStudy + "/asks", R"({"pulls":1})", key);
  EXPECT_EQ(first.body, again.body);
  EXPECT_EQ(server.exchange("GET", kStudy + "/asks").json().at("tickets").size(), 1U);

  const HttpAnswer other = server.exchange("POST", kStudy + "/asks", R"({"pulls":2})", key);
  EXPECT_EQ(other.status, 422);
  EXPECT_EQ(other.code(), "reused_key");

  server.stop();
  server.start();
  EXPECT_EQ(server.exchange("POST", kStudy + "/asks", R"({"pulls":1})", key).body, first.body)
      << "also after a restart";
  EXPECT_EQ(server.exchange("GET", kStudy + "/asks").json().at("tickets").size(), 1U);
}

TEST(Server, AnImpatientClientGetsOneTicketForTwoRequestsInFlight) {
  TestServer server;
  server.make_study("a");
  const std::string request =
      "POST /v1/studies/a/asks HTTP/1.1\r\nHost: localhost\r\nIdempotency-Key: k\r\n\r\n";
  std::vector<std::unique_ptr<HttpConnection>> connections;
  for (int i = 0; i < 8; ++i) {
    connections.push_back(std::make_unique<HttpConnection>(server.port()));
  }
  for (auto& connection : connections) connection->send(request);
  std::set<std::string> bodies;
  for (auto& connection : connections) bodies.insert(connection->answer().body);
  EXPECT_EQ(bodies.size(), 1U);
  EXPECT_EQ(server.exchange("GET", kStudy + "/asks").json().at("tickets").size(), 1U);
}

TEST(Server, ALeaseThatRunsOutDropsItsTicketAlsoAfterARestart) {
  TestServer server;
  server.make_study("a");
  const json first =
      server.exchange("POST", kStudy + "/asks", R"({"pulls":1,"lease_seconds":0.5})").json();
  const json second =
      server.exchange("POST", kStudy + "/asks", R"({"pulls":1,"lease_seconds":1000})").json();
  server.stop();
  std::this_thread::sleep_for(std::chrono::milliseconds(600));
  server.start();
  HttpConnection connection(server.port());
  EXPECT_EQ(connection.exchange("GET", kStudy + "/asks").json().at("tickets").size(), 1U)
      << "also before it is opened";
  (void)connection.exchange("POST", kStudy + "/asks", R"({"pulls":1})");  // opens it
  for (int i = 0; i < 200; ++i) {
    const json tickets = connection.exchange("GET", kStudy + "/asks").json().at("tickets");
    if (tickets.size() == 2) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  const json tickets = connection.exchange("GET", kStudy + "/asks").json().at("tickets");
  ASSERT_EQ(tickets.size(), 2U);
  EXPECT_EQ(tickets[0]["ticket"], second["tickets"][0]["ticket"]);
  const std::string over = first["tickets"][0]["ticket"];
  EXPECT_EQ(connection.exchange("POST", kStudy + "/tells", tell_body(over, 0.5)).code(),
            "closed_ticket");
}

TEST(Server, FailuresObservationsBarsAndDropsAreTakenIn) {
  TestServer server;
  server.make_study("a");
  HttpConnection connection(server.port());
  EXPECT_EQ(connection
                .exchange("POST", kStudy + "/observations",
                          R"({"observations":[{"arm":{"x":0.5},"rewards":[0.5,0.7]}]})")
                .status,
            200);
  std::string ticket = ask_one(connection);
  const HttpAnswer failed = connection.exchange(
      "POST", kStudy + "/tells", json{{"tells", {{{"ticket", ticket}, {"failed", true}}}}}.dump());
  EXPECT_EQ(failed.status, 200) << failed.body;
  EXPECT_LT(failed.json()["results"][0]["reward"], 0.5);
  ticket = ask_one(connection);
  EXPECT_EQ(
      connection.exchange("POST", kStudy + "/drops", json{{"tickets", {ticket}}}.dump()).status,
      200);
  EXPECT_EQ(
      connection.exchange("POST", kStudy + "/bars", R"({"bars":[{"arm":{"x":0.25}}]})").status,
      200);
  const HttpAnswer wrong =
      connection.exchange("POST", kStudy + "/observations",
                          R"({"observations":[{"arm":{"x":7,"y":1},"reward":1},{"reward":1}]})");
  EXPECT_EQ(wrong.status, 422);
  EXPECT_EQ(wrong.json().at("errors").size(), 3U) << wrong.body;
}

TEST(Server, JournalsAreReadInPieces) {
  TestServer server;
  server.make_study("a");
  HttpConnection connection(server.port());
  for (int i = 0; i < 10; ++i) {
    (void)connection.exchange("POST", kStudy + "/tells", tell_body(ask_one(connection), 0.5));
  }
  const json piece = connection.exchange("GET", kStudy + "/events?after=3&limit=5").json();
  EXPECT_EQ(piece.at("events").size(), 5U);
  EXPECT_EQ(piece["events"][0]["number"], 4);
  EXPECT_EQ(piece["events"][0]["kind"], "tell");
  EXPECT_EQ(piece["next"], 8);
  EXPECT_EQ(piece["last"], 20);
}

TEST(Server, StudiesAreListedByPages) {
  TestServer server;
  for (const char* name : {"c", "a", "b"}) server.make_study(name);
  const json first = server.exchange("GET", "/v1/studies?limit=2").json();
  EXPECT_EQ(first.at("studies").size(), 2U);
  EXPECT_EQ(first.at("next"), "b");
  const json second = server.exchange("GET", "/v1/studies?limit=2&after=b").json();
  EXPECT_EQ(second.at("studies").size(), 1U);
  EXPECT_TRUE(second.at("next").is_null());
}

TEST(Server, AStudyIsMadeOnceAndDeleted) {
  TestServer server;
  server.make_study("a");
  const json item = server.exchange("GET", kStudy).json();
  const json same{{"name", "a"}, {"specification", item.at("specification")}};
  EXPECT_EQ(server.exchange("POST", "/v1/studies", same.dump()).status, 200);
  json other = same;
  other["specification"]["space"][0]["high"] = 2.0;
  (void)server.exchange("POST", kStudy + "/asks");
  const HttpAnswer differs = server.exchange("POST", "/v1/studies", other.dump());
  EXPECT_EQ(differs.status, 409);
  EXPECT_EQ(differs.code(), "differs");
  EXPECT_EQ(server.exchange("DELETE", kStudy).status, 204);
  EXPECT_EQ(server.exchange("GET", kStudy).status, 404);
  EXPECT_EQ(server.exchange("POST", kStudy + "/asks").status, 404);
  EXPECT_EQ(server.exchange("DELETE", kStudy).status, 404);
  server.make_study("a");
}

TEST(Server, AForkStartsWithTheJournal) {
  TestServer server;
  server.make_study("a");
  HttpConnection connection(server.port());
  (void)connection.exchange("POST", kStudy + "/tells", tell_body(ask_one(connection), 0.5));
  const json specification = connection.exchange("GET", kStudy).json().at("specification");
  const HttpAnswer fork = connection.exchange(
      "POST", "/v1/studies",
      json{{"name", "b"}, {"fork_of", "a"}, {"specification", specification}}.dump());
  EXPECT_EQ(fork.status, 201) << fork.body;
  EXPECT_EQ(fork.json().at("pulls"), 1);
  EXPECT_EQ(fork.json().at("forked_from"), "a");
}

TEST(Server, AnIdleStudyIsClosedAndOpenedAgain) {
  ServerOptions options;
  options.study_idle = std::chrono::milliseconds(200);
  TestServer server(options);
  server.make_study("a");
  HttpConnection connection(server.port());
  (void)connection.exchange("POST", kStudy + "/tells", tell_body(ask_one(connection), 0.5));
  const auto store = open_store(server.store(), Store::Mode::open);
  std::unique_ptr<StudyLock> lock;
  for (int i = 0; i < 100 && !lock; ++i)
    lock = store->try_lock(store->find("a")->id, Store::kPatience);
  ASSERT_NE(lock, nullptr) << "others can have it";
  const HttpAnswer refused = connection.exchange("POST", kStudy + "/asks");
  EXPECT_EQ(refused.status, 409);
  EXPECT_EQ(refused.code(), "open_elsewhere");
  EXPECT_EQ(connection.exchange("GET", kStudy + "/best").json().at("mean"), 0.5)
      << "read-only requests do not need it";
  lock.reset();
  EXPECT_EQ(connection.exchange("POST", kStudy + "/asks").status, 200);
}

TEST(Server, PeopleSteerAStudy) {
  TestServer server;
  server.make_study("a");
  HttpConnection connection(server.port());
  const std::string ticket = ask_one(connection);
  const auto command = [&](const std::string& name) {
    return connection.exchange("POST", kStudy + "/commands", json{{"command", name}}.dump());
  };
  const auto ask_until = [&](int status) {
    HttpAnswer answer;
    for (int i = 0; i < 100 && answer.status != status; ++i) {
      answer = connection.exchange("POST", kStudy + "/asks", "{}");
      if (answer.status != status) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return answer;
  };
  EXPECT_EQ(command("pause").status, 201);
  EXPECT_EQ(ask_until(409).code(), "paused");
  EXPECT_EQ(connection.exchange("POST", kStudy + "/tells", tell_body(ticket, 0.5)).status, 200)
      << "what was given out may be told";
  EXPECT_EQ(command("resume").status, 201);
  EXPECT_EQ(ask_until(200).status, 200);
  EXPECT_EQ(command("end").status, 201);
  EXPECT_EQ(ask_until(409).code(), "ended");
  EXPECT_EQ(command("confirm").code(), "no_baseline");
  EXPECT_EQ(command("dance").status, 422);
  EXPECT_EQ(connection.exchange("GET", kStudy + "/commands").json().at("commands").size(), 3U);
  server.stop();
  server.start();
  EXPECT_EQ(server.exchange("POST", kStudy + "/asks").code(), "ended") << "also after a restart";
  const json events = server.exchange("GET", kStudy + "/events").json().at("events");
  EXPECT_EQ(events.back().at("kind"), "command");
}

TEST(Server, ATunerElsewhereHasItsStudyAlone) {
  TestServer server;
  server.make_study("a");
  HttpConnection connection(server.port());
  const auto take = [&](const std::string& id) {
    return connection.exchange("PUT", kStudy + "/tuner",
                               json{{"tuner", id}, {"holder", "pid 1 on there"}}.dump());
  };
  EXPECT_EQ(take("one").status, 200);
  EXPECT_EQ(take("two").code(), "open_elsewhere");
  EXPECT_EQ(connection.exchange("POST", kStudy + "/asks").code(), "open_elsewhere");
  const json ask{
      {"kind", "ask"}, {"ticket", 1}, {"pulls", 1}, {"length", 1}, {"coordinates", {0.25}}};
  const json apply{{"kind", "apply"}, {"ticket", 1}, {"coordinates", {0.25}}};
  const auto append = [&](const std::string& id, int after, const json& events) {
    return connection.exchange("POST", kStudy + "/tuner-events",
                               json{{"tuner", id}, {"after", after}, {"events", events}}.dump());
  };
  const HttpAnswer appended = append("one", 0, {ask, apply});
  EXPECT_EQ(appended.status, 200) << appended.body;
  EXPECT_EQ(append("one", 0, {ask, apply}).json().at("events"), 2) << "a retry changes nothing";
  EXPECT_EQ(append("one", 1, {ask, apply}).code(), "moved_on");
  EXPECT_EQ(append("two", 2, json::array({apply})).code(), "open_elsewhere");
  json wrong = ask;
  wrong["ticket"] = 2;
  wrong["coordinates"] = {0.123};
  EXPECT_EQ(append("one", 2, {apply, wrong}).code(), "does_not_fit");
  EXPECT_EQ(connection.exchange("GET", kStudy).json().at("events"), 2) << "nothing of it stays";
  EXPECT_EQ(connection.exchange("GET", kStudy).json().at("open_by"), "pid 1 on there");
  EXPECT_EQ(connection.exchange("DELETE", kStudy).code(), "open_elsewhere");
  EXPECT_EQ(connection.exchange("DELETE", kStudy + "/tuner?tuner=one").status, 204);
  EXPECT_EQ(take("two").status, 200);
}

TEST(Server, StreamsWhatHappens) {
  TestServer server;
  server.make_study("a");
  HttpConnection connection(server.port());
  const std::string ticket = ask_one(connection);
  HttpConnection stream(server.port());
  stream.send("GET /v1/studies/a/stream HTTP/1.1\r\nHost: localhost\r\nLast-Event-ID: 0\r\n\r\n");
  std::string text;
  const auto wait_for = [&](const std::string& what) {
    while (text.find(what) == std::string::npos) {
      const std::string more = stream.receive();
      ASSERT_FALSE(more.empty()) << text;
      text += more;
    }
  };
  wait_for("id: 1\nevent: journal\n");
  EXPECT_NE(text.find("text/event-stream"), std::string::npos);
  (void)connection.exchange("POST", kStudy + "/tells", tell_body(ticket, 0.25));
  wait_for("id: 2\nevent: journal\n");
  wait_for("event: best\ndata: {\"arm\"");
  server.stop();
  while (!stream.receive().empty()) continue;
}

TEST(Server, SaysHowItIs) {
  TestServer server;
  EXPECT_EQ(server.exchange("GET", "/healthz").status, 200);
  EXPECT_EQ(server.exchange("GET", "/readyz").status, 200);
  server.make_study("a");
  (void)server.exchange("POST", kStudy + "/asks");
  const std::string metrics = server.exchange("GET", "/metrics").body;
  for (const char* line :
       {R"(canopy_requests_total{method="POST",route="/v1/studies/{name}/asks",status="200"} 1)",
        "canopy_tickets_in_flight 1", R"(canopy_open_studies{state="running"} 1)",
        "canopy_commits_total 1", "canopy_connections"}) {
    EXPECT_NE(metrics.find(line), std::string::npos) << line << "\n" << metrics;
  }
}

TEST(Server, OriginsThatAreNamedMayAsk) {
  ServerOptions options;
  options.origins = {"https://here.example"};
  TestServer server(options);
  const std::string origin = "Origin: https://here.example\r\n";
  EXPECT_EQ(
      server.exchange("GET", "/healthz", "", origin).headers.at("Access-Control-Allow-Origin"),
      "https://here.example");
  EXPECT_EQ(server.exchange("OPTIONS", kStudy + "/asks", "", origin).status, 204);
  EXPECT_EQ(server.exchange("OPTIONS", kStudy + "/asks").status, 405);
}

// --- external input --------------------------------------------------------------------------

TEST(ServerAttacks, NamesOfAllKindsAreNamesOrRefused) {
  TestServer server;
  const std::vector<std::string> good{"it's \"quoted\"", "'; DROP TABLE studies; --",
                                      "<script>alert(1)<\\script>", "a?b&c=d#e%41", "ä ö"};
  for (const std::string& name : good) {
    server.make_study(name);
    const HttpAnswer answer = server.exchange("GET", "/v1/studies/" + percent_encoded(name));
    EXPECT_EQ(answer.status, 200) << name;
    EXPECT_EQ(answer.json().at("name"), name);
    EXPECT_EQ(server.exchange("POST", "/v1/studies/" + percent_encoded(name) + "/asks").status,
              200);
  }
  EXPECT_EQ(server.exchange("GET", "/v1/studies").json().at("studies").size(), good.size());
  for (const std::string& name : {std::string(".."), std::string("a/b"), std::string("a\nb"),
                                  std::string(10'000, 'x'), std::string("\x01"), std::string()}) {
    const json body{{"name", name}, {"toml", "[[space]]\nname='x'\nlow=0.0\nhigh=1.0"}};
    const HttpAnswer answer = server.exchange("POST", "/v1/studies", body.dump());
    EXPECT_EQ(answer.status, 400) << name.substr(0, 20);
    EXPECT_EQ(answer.code(), "bad_name");
    const int status = server.exchange("GET", "/v1/studies/" + percent_encoded(name)).status;
    EXPECT_TRUE(status == 404 || status == 400) << status;
  }
  for (const char* key : {"name", "forked_from"}) {
    json body{{"name", "a"}, {"whole", true}, {"toml", "[[space]]\nname='x'\nlow=0.0\nhigh=1.0"}};
    body[key] = std::string("a\0b", 3);
    const HttpAnswer answer = server.exchange("POST", "/v1/studies", body.dump());
    EXPECT_EQ(answer.status, 422) << answer.body;
  }
  EXPECT_EQ(server.exchange("GET", "/v1/studies?after=%ff").status, 422);
  EXPECT_EQ(server.exchange("GET", "/v1/studies/%ff").status, 404);
  EXPECT_EQ(server.exchange("GET", "/v1/studies/%zz").status, 400);
  EXPECT_EQ(server.exchange("GET", "/v1/studies/%00").status, 400);
}

/// The status of the answer to some bytes; 0 if there is no answer.
int status_of(TestServer& server, const std::string& bytes) {
  HttpConnection connection(server.port());
  boost::system::error_code ignored;
  boost::asio::write(connection.socket(), boost::asio::buffer(bytes), ignored);
  connection.socket().shutdown(boost::asio::ip::tcp::socket::shutdown_send, ignored);
  try {
    return connection.answer().status;
  } catch (const std::runtime_error&) {
    return 0;
  }
}

TEST(ServerAttacks, NonsenseIsRefusedAndOthersAreServed) {
  TestServer server;
  server.make_study("a");
  const std::string post = "POST /v1/studies/a/asks HTTP/1.1\r\nHost: localhost\r\n";
  const std::string json_type = "Content-Type: application/json\r\n";
  const std::vector<std::string> requests{
      "nonsense\r\n\r\n",
      "GET / HTTP/9.9\r\n\r\n",
      "GET /\x01 HTTP/1.1\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: localhost\r\nX: " + std::string(100'000, 'x') + "\r\n\r\n",
      post + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef",
      post + "Content-Length: -1\r\n\r\n",
      post + "Content-Length: 99999999999999999999\r\n\r\n",
      post + json_type + "Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n",
      post + json_type + "Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n{}",
      post + json_type + "Content-Length: 3\r\n\r\n{]}",
      post + json_type + "Content-Length: 2\r\n\r\n[]",
      post + "X-Folded: a\r\n b\r\nContent-Length : 2\r\n\r\n{}",
  };
  for (const std::string& request : requests) {
    const int status = status_of(server, request);
    EXPECT_TRUE(status == 0 || (status >= 400 && status < 500))
        << status << " for " << request.substr(0, 200);
  }
  // A body whose length is given twice is not treated as two requests.
  const int smuggled = status_of(
      server, post + json_type +
                  "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\nDELETE "
                  "/v1/studies/a HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_TRUE(smuggled == 0 || smuggled >= 400) << smuggled;
  EXPECT_EQ(server.exchange("GET", kStudy).status, 200);
}

TEST(ServerAttacks, ABodyThatIsTooLongIsNotRead) {
  ServerOptions options;
  options.longest_body = 10'000;
  TestServer server(options);
  server.make_study("a");
  HttpConnection connection(server.port());
  connection.send(
      "POST /v1/studies/a/tells HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
      "application/json\r\nContent-Length: 1000000000\r\n\r\n");
  EXPECT_EQ(connection.answer().status, 413);
  EXPECT_TRUE(connection.is_closed());
  HttpConnection chunked(server.port());
  chunked.send(
      "POST /v1/studies/a/tells HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
      "application/json\r\nTransfer-Encoding: chunked\r\n\r\n4000\r\n" +
      std::string(0x4000, ' '));
  EXPECT_EQ(chunked.answer().status, 413);
}

TEST(ServerAttacks, WhoSendsTooSlowlyIsLeft) {
  ServerOptions options;
  options.request_patience = std::chrono::seconds(1);
  TestServer server(options);
  HttpConnection connection(server.port());
  connection.send("GET /healthz HT");
  EXPECT_TRUE(connection.is_closed());
  EXPECT_EQ(server.exchange("GET", "/healthz").status, 200);
}

TEST(ServerAttacks, TooManyConnectionsAreClosedAtOnce) {
  ServerOptions options;
  options.most_connections = 2;
  TestServer server(options);
  HttpConnection first(server.port());
  HttpConnection second(server.port());
  EXPECT_EQ(first.exchange("GET", "/healthz").status, 200);
  EXPECT_EQ(second.exchange("GET", "/healthz").status, 200);
  HttpConnection third(server.port());
  EXPECT_TRUE(third.is_closed());
  EXPECT_EQ(first.exchange("GET", "/healthz").status, 200);
}

TEST(ServerAttacks, DeepAndHugeJsonIsRefused) {
  TestServer server;
  server.make_study("a");
  const std::string deep =
      "{\"tells\":" + std::string(100'000, '[') + std::string(100'000, ']') + "}";
  EXPECT_EQ(server.exchange("POST", kStudy + "/tells", deep).status, 400);
  EXPECT_EQ(
      server.exchange("POST", kStudy + "/tells", R"({"tells":[{"ticket":"1-a","reward":1e999}]})")
          .status,
      400);
  EXPECT_EQ(server.exchange("POST", kStudy + "/tells", R"({"tells":[],"tells":[]})").status, 400);
}

TEST(Server, ATicketOfAnotherIncarnationIsGone) {
  TestServer server;
  server.make_study("a");
  HttpConnection connection(server.port());
  const std::string old = ask_one(connection);
  EXPECT_EQ(connection.exchange("DELETE", kStudy).status, 204);
  server.make_study("a");
  const std::string now = ask_one(connection);
  EXPECT_NE(old, now);
  const HttpAnswer refused = connection.exchange("POST", kStudy + "/tells", tell_body(old, 0.5));
  EXPECT_EQ(refused.status, 410);
  EXPECT_EQ(refused.code(), "gone");
  EXPECT_EQ(connection.exchange("POST", kStudy + "/drops", json{{"tickets", {old}}}.dump()).status,
            410);
  EXPECT_EQ(connection.exchange("GET", kStudy).json().at("pulls"), 0);
  EXPECT_EQ(connection.exchange("POST", kStudy + "/tells", tell_body(now, 0.5)).status, 200);
}

TEST(Server, ATicketGivenOutAfterABackupIsGoneOnceThatIsRestored) {
  TestServer server;
  server.make_study("a");
  const std::string kept = ask_one(*std::make_unique<HttpConnection>(server.port()));
  server.stop();
  const std::string backup = server.path("backup.db");
  std::filesystem::copy_file(server.store(), backup);
  server.start();
  const std::string lost = ask_one(*std::make_unique<HttpConnection>(server.port()));
  server.stop();
  std::filesystem::copy_file(backup, server.store(),
                             std::filesystem::copy_options::overwrite_existing);
  server.start();
  HttpConnection connection(server.port());
  const std::string again = ask_one(connection);
  EXPECT_EQ(lost.substr(0, 2), again.substr(0, 2)) << "the same number";
  EXPECT_EQ(connection.exchange("POST", kStudy + "/tells", tell_body(lost, 0.5)).status, 410);
  EXPECT_EQ(connection.exchange("POST", kStudy + "/tells", tell_body(kept, 0.5)).status, 200)
      << "it was given out before the backup";
  EXPECT_EQ(connection.exchange("POST", kStudy + "/tells", tell_body(again, 0.5)).status, 200);
}

TEST(Server, TheSameCommandWithTheSameKeyIsGivenOnce) {
  TestServer server;
  server.make_study("a");
  const auto give = [&](const std::string& command, const std::string& key) {
    return server.exchange("POST", kStudy + "/commands", json{{"command", command}}.dump(),
                           "Idempotency-Key: " + key + "\r\n");
  };
  EXPECT_EQ(give("pause", "one").json().at("number"), 1);
  EXPECT_EQ(give("pause", "one").json().at("number"), 1);
  EXPECT_EQ(give("resume", "one").code(), "reused_key");
  EXPECT_EQ(give("resume", "two").json().at("number"), 2);
}

TEST(Server, AJournalThatCannotBeReplayedIsNotTaken) {
  TestServer server;
  const json specification{{"optimizer", {{"name", "hct"}}},
                           {"space", {{{"name", "x"}, {"low", 0.0}, {"high", 1.0}}}}};
  json entry{{"number", 1}, {"at", 1.0},   {"kind", "ask"},         {"ticket", 1},
             {"pulls", 1},  {"length", 1}, {"coordinates", {0.123}}};
  json body{{"name", "b"},
            {"specification", specification},
            {"whole", true},
            {"created", 1.0},
            {"journal", {entry}}};
  EXPECT_EQ(server.exchange("POST", "/v1/studies", body.dump()).code(), "does_not_fit");
  EXPECT_EQ(server.exchange("GET", "/v1/studies/b").status, 404);
  body["journal"][0]["coordinates"] = {0.25};
  EXPECT_EQ(server.exchange("POST", "/v1/studies", body.dump()).status, 201);
  EXPECT_EQ(server.exchange("POST", "/v1/studies", body.dump()).status, 200) << "it comes again";
}

TEST(ServerAttacks, AnEventWithoutRewardsIsRefused) {
  TestServer server;
  server.make_study("a");
  HttpConnection connection(server.port());
  const json ask{
      {"kind", "ask"}, {"ticket", 1}, {"pulls", 1}, {"length", 1}, {"coordinates", {0.25}}};
  const json tell{{"kind", "tell"}, {"ticket", 1}, {"rewards", json::array()}};
  const HttpAnswer answer =
      connection.exchange("POST", kStudy + "/tuner-events",
                          json{{"tuner", "t"}, {"after", 0}, {"events", {ask, tell}}}.dump());
  EXPECT_EQ(answer.status, 422) << answer.body;
  EXPECT_EQ(connection.exchange("GET", kStudy).json().at("events"), 0);
}

TEST(ServerAttacks, ATunerCannotAcceptACommandThatWasNotPosted) {
  TestServer server;
  server.make_study("a");
  HttpConnection connection(server.port());
  const auto say = [&](const json& event) {
    return connection.exchange("POST", kStudy + "/tuner-events",
                               json{{"tuner", "t"}, {"after", 0}, {"events", {event}}}.dump());
  };
  json event{{"kind", "command"},
             {"command_number", INT64_MAX},
             {"command", "end"},
             {"pulls", 0},
             {"by", "alice"}};
  EXPECT_EQ(say(event).code(), "does_not_fit") << say(event).body;
  event["command_number"] = 1;
  EXPECT_EQ(say(event).code(), "does_not_fit");
  EXPECT_EQ(connection.exchange("GET", kStudy).json().at("events"), 0);
}

TEST(ServerAttacks, AListOfMistakesEndsAfterTwenty) {
  TestServer server;
  server.make_study("a");
  std::string body = R"({"tells":[{})";
  for (int i = 0; i < 9999; ++i) body += ",{}";
  const HttpAnswer answer = server.exchange("POST", kStudy + "/tells", body + "]}");
  EXPECT_EQ(answer.status, 422);
  EXPECT_EQ(answer.json().at("errors").size(), 20U);
  for (int i = 0; i < 2'000'000; ++i) body += ",{}";
  EXPECT_EQ(server.exchange("POST", kStudy + "/tells", body + "]}").status, 422);
  std::string keys = "{";
  for (int i = 0; i < 400'000; ++i) keys += "\"k" + std::to_string(i) + "\":1,";
  EXPECT_EQ(
      server.exchange("POST", kStudy + "/tells", keys + "\"tells\":[]}").json().at("errors").size(),
      20U);
}

TEST(ServerAttacks, ACodingThatIsNotKnownIsNotTakenForNone) {
  TestServer server;
  server.make_study("a");
  for (const char* coding : {"xchunked", "identity", "chunked, identity", "gzip, chunked"}) {
    HttpConnection connection(server.port());
    connection.send(std::string("POST /v1/studies/a/asks HTTP/1.1\r\nHost: localhost\r\n"
                                "Content-Type: application/json\r\nTransfer-Encoding: ") +
                    coding + "\r\n\r\nDELETE /v1/studies/a HTTP/1.1\r\nHost: localhost\r\n\r\n");
    EXPECT_EQ(connection.answer().status, 501) << coding;
    EXPECT_TRUE(connection.is_closed()) << coding;
  }
  EXPECT_EQ(server.exchange("GET", kStudy).status, 200);
}

TEST(ServerAttacks, WithoutTokensThePagesOfOthersAreRefused) {
  TestServer server;
  server.make_study("a");
  const std::string own = "http://127.0.0.1:" + std::to_string(server.port());
  const auto ask = [&](const std::string& headers) {
    return server.exchange("POST", kStudy + "/asks", "", headers).status;
  };
  EXPECT_EQ(ask("Origin: http://elsewhere.example\r\n"), 403);
  EXPECT_EQ(ask("Origin: null\r\n"), 403);
  EXPECT_EQ(ask("Sec-Fetch-Site: cross-site\r\n"), 403);
  EXPECT_EQ(ask("Sec-Fetch-Site: same-origin\r\n"), 200);
  EXPECT_EQ(server
                .exchange("GET", "/healthz", "",
                          "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\n")
                .status,
            200)
      << "a link to the page";
}

}  // namespace
}  // namespace canopy::service
