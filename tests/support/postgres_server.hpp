#pragma once

#include "support/temporary_folder.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <grp.h>
#include <iostream>
#include <libpq-fe.h>
#include <memory>
#include <optional>
#include <pwd.h>
#include <stdexcept>
#include <string>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace canopy::testing {

/// A PostgreSQL server in a temporary folder, which listens on a socket there. It never outlives
/// this process.
class PostgresServer {
 public:
  /// The folder of its programs; empty if it is not installed.
  [[nodiscard]] static std::string programs() {
    std::vector<std::string> found;
    std::error_code ignored;
    for (const auto& each : std::filesystem::directory_iterator("/usr/lib/postgresql", ignored)) {
      const std::filesystem::path folder = each.path() / "bin";
      if (std::filesystem::exists(folder / "initdb")) found.push_back(folder.string());
    }
    return found.empty() ? "" : *std::max_element(found.begin(), found.end());
  }

  [[nodiscard]] static bool is_installed() { return !programs().empty(); }

  /// A server shared by all tests of a process.
  [[nodiscard]] static PostgresServer& shared() {
    static PostgresServer server;
    return server;
  }

  /// The data may be in a different folder.
  explicit PostgresServer(std::optional<std::string> data = std::nullopt)
      : data_(data.value_or(folder_.path("data"))) {
    if (const passwd* user = geteuid() == 0 ? getpwnam("nobody") : nullptr) {
      user_ = {{user->pw_uid, user->pw_gid}};  // the server refuses to run as root
    }
    give_away(folder_.path(""));
    if (data) give_away(*data);
    const pid_t maker = run({programs() + "/initdb", "-D", data_, "-X", folder_.path("log"), "-U",
                             "canopy", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"});
    int status = 0;
    if (waitpid(maker, &status, 0) != maker || status != 0) {
      throw std::runtime_error("initdb failed:\n" + folder_.content("out"));
    }
    start();
  }

  ~PostgresServer() { stop(SIGQUIT); }
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;

  void start() {
    server_ = run({programs() + "/postgres", "-D", data_, "-k", folder_.path(""), "-c",
                   "listen_addresses=", "-c", "fsync=on"});
    for (int tries = 0; tries < 1000; ++tries) {
      if (PQping(address("postgres").c_str()) == PQPING_OK) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    throw std::runtime_error("PostgreSQL does not start:\n" + folder_.content("out"));
  }

  /// SIGINT shuts it down without waiting for clients; SIGQUIT simulates a power failure.
  void stop(int signal) {
    if (server_ > 0) {
      kill(server_, signal);
      waitpid(server_, nullptr, 0);
    }
    server_ = -1;
  }

  /// Stops all its processes, as if it hung; `thaw` continues them.
  void freeze() const { signal_all(SIGSTOP); }
  void thaw() const { signal_all(SIGCONT); }

  [[nodiscard]] std::string address(const std::string& database) const {
    return "postgresql:///" + database + "?user=canopy&host=" + folder_.path("");
  }

  /// The address of a new database.
  [[nodiscard]] std::string new_database() {
    const std::string name = "d" + std::to_string(++databases_);
    execute(address("postgres"), "CREATE DATABASE " + name);
    return address(name);
  }

  /// Reads or changes a database without canopy. Returns the values of the first column.
  static std::vector<std::string> execute(const std::string& address, const std::string& sql) {
    const std::unique_ptr<PGconn, void (*)(PGconn*)> connection(PQconnectdb(address.c_str()),
                                                                &PQfinish);
    const std::unique_ptr<PGresult, void (*)(PGresult*)> result(
        PQexec(connection.get(), sql.c_str()), &PQclear);
    const ExecStatusType status = PQresultStatus(result.get());
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) {
      throw std::runtime_error(PQerrorMessage(connection.get()));
    }
    std::vector<std::string> values;
    values.reserve(static_cast<std::size_t>(PQntuples(result.get())));
    for (int row = 0; row < PQntuples(result.get()); ++row) {
      values.emplace_back(PQgetvalue(result.get(), row, 0));
    }
    return values;
  }

 private:
  void signal_all(int signal) const {
    const std::string process = std::to_string(server_);
    std::ifstream children("/proc/" + process + "/task/" + process + "/children");
    kill(server_, signal);
    for (pid_t child = 0; children >> child;) kill(child, signal);
  }

  void give_away(const std::string& path) const {
    if (user_ && chown(path.c_str(), user_->first, user_->second) != 0) {
      throw std::runtime_error(path + ": cannot be given to an ordinary user");
    }
  }

  [[nodiscard]] pid_t run(std::vector<std::string> words) const {
    std::vector<char*> pointers;
    pointers.reserve(words.size() + 1);
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    const std::string output = folder_.path("out");
    const std::string folder = folder_.path("");
    const pid_t parent = getpid();
    const pid_t child = fork();
    if (child != 0) return child;
    if (user_ &&
        (setgroups(0, nullptr) != 0 || setgid(user_->second) != 0 || setuid(user_->first) != 0)) {
      _exit(126);
    }
    prctl(PR_SET_PDEATHSIG, SIGQUIT);
    if (getppid() != parent || chdir(folder.c_str()) != 0) _exit(126);
    const int file = open(output.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    dup2(file, STDOUT_FILENO);
    dup2(file, STDERR_FILENO);
    execv(pointers[0], pointers.data());
    _exit(127);
  }

  TemporaryFolder folder_;
  std::string data_;
  std::optional<std::pair<uid_t, gid_t>> user_;
  pid_t server_ = -1;
  int databases_ = 0;
};

}  // namespace canopy::testing
