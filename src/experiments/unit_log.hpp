#pragma once

#include "canopy/experiment.hpp"

#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace canopy {

/// A file of the finished units of an experiment, one line each, so that a killed process loses
/// none of them. The file begins with a comment that identifies the experiment. A line begins with
/// the unit's key, up to the fifth comma. An incomplete last line is dropped.
class UnitLog {
 public:
  /// Opens or creates the file; without a path, a temporary one. Throws OutputError if another
  /// process has it open, or if it belongs to another experiment, unless `fresh`, which empties it
  /// first.
  UnitLog(std::string path, const std::string& belongs_to, bool fresh);

  [[nodiscard]] bool has(const std::string& key) const { return places_.contains(key); }
  [[nodiscard]] std::size_t size() const { return places_.size(); }

  /// Adds a finished unit, which has been written when this returns. Throws OutputError.
  void add(const std::string& line);

  /// The line of a unit in the log.
  [[nodiscard]] std::string line(const std::string& key) const;

  /// The key of a line.
  [[nodiscard]] static std::string key_of(const std::string& line);

 private:
  struct Close {
    void operator()(std::FILE* file) const { (void)std::fclose(file); }
  };

  void read(const std::string& header);
  void write(const std::string& text);
  [[noreturn]] void fail(const std::string& what) const;

  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
  std::map<std::string, long> places_;  // offset of a key's line
  long end_ = 0;
};

}  // namespace canopy
