#include "experiments/unit_log.hpp"

#include <algorithm>
#include <cerrno>
#include <sys/file.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace canopy {
namespace {

constexpr int kKeyFields = 5;
constexpr const char* kColumns =
    "phase,comparison,algorithm,candidate,run,per_step_regret,per_step_realised_regret,"
    "simple_regret,covered,width,best_mean_seen,nodes,depth,switches,refreshes,seconds,checkpoints";

/// The next complete line of a file, without its line end; none if there is none.
std::optional<std::string> next_line(std::FILE* file) {
  std::string line;
  for (int letter = std::fgetc(file); letter != EOF; letter = std::fgetc(file)) {
    if (letter == '\n') return line;
    line += static_cast<char>(letter);
  }
  return std::nullopt;
}

}  // namespace

std::string UnitLog::key_of(const std::string& line) {
  std::size_t end = std::string::npos;
  for (int i = 0; i < kKeyFields; ++i) {
    end = line.find(',', end + 1);
    if (end == std::string::npos) return line;
  }
  return line.substr(0, end);
}

UnitLog::UnitLog(std::string path, const std::string& belongs_to, bool fresh)
    : path_(std::move(path)) {
  std::string header = "# canopy units 2: " + belongs_to;
  std::replace(header.begin(), header.end(), '\n', ' ');  // a label may contain a line end
  file_.reset(path_.empty() ? std::tmpfile() : std::fopen(path_.c_str(), "a+be"));
  if (path_.empty()) path_ = "temporary file";
  if (!file_) fail("cannot be written");
  if (flock(fileno(file_.get()), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    throw OutputError(path_ + ": another process is running this experiment");
  }
  if (fresh && ftruncate(fileno(file_.get()), 0) != 0) fail("cannot be written");
  std::rewind(file_.get());
  read(header);
  if (end_ == 0) write(header + '\n' + kColumns + '\n');
}

void UnitLog::write(const std::string& text) {
  if (std::fseek(file_.get(), 0, SEEK_END) != 0 ||
      std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size() ||
      std::fflush(file_.get()) != 0) {
    fail("cannot be written");
  }
  end_ += static_cast<long>(text.size());
}

void UnitLog::read(const std::string& header) {
  const auto first = next_line(file_.get());
  if (first && *first != header) {
    throw OutputError(path_ + ": contains results of another specification",
                      OutputError::Fault::other_results);
  }
  const auto columns = first ? next_line(file_.get()) : std::nullopt;
  if (columns) {
    end_ = std::ftell(file_.get());
    while (const auto line = next_line(file_.get())) {
      places_[key_of(*line)] = end_;
      end_ = std::ftell(file_.get());
    }
  }
  if (ftruncate(fileno(file_.get()), end_) != 0) fail("cannot be written");
}

void UnitLog::add(const std::string& line) {
  const long place = end_;
  write(line + '\n');
  places_[key_of(line)] = place;
}

std::string UnitLog::line(const std::string& key) const {
  if (std::fseek(file_.get(), places_.at(key), SEEK_SET) != 0) fail("cannot be read");
  const auto line = next_line(file_.get());
  if (!line) fail("cannot be read");
  return *line;
}

void UnitLog::fail(const std::string& what) const {
  throw OutputError(path_ + ": " + what + ": " + std::generic_category().message(errno));
}

}  // namespace canopy
