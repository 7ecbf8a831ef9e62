#pragma once

#include "canopy/experiment.hpp"

#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace canopy {

/// The finished units of work of an experiment, a line each, in a file: a killed process loses
/// none of them. A line begins with the unit's key, up to the fifth comma; the file with a comment
/// that names what it belongs to. A last line that was cut off is dropped.
class UnitLog {
 public:
  /// Opens or makes the file; without a path, one that ends with the log. Throws OutputError when
  /// another process has it open, and when it belongs to something else, unless `fresh`, which
  /// empties it first.
  UnitLog(std::string path, const std::string& belongs_to, bool fresh);

  [[nodiscard]] bool has(const std::string& key) const { return places_.contains(key); }
  [[nodiscard]] std::size_t size() const { return places_.size(); }

  /// Adds a finished unit. It is in the file when this returns. Throws OutputError.
  void add(const std::string& line);

  /// The line of a unit that is there.
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
  std::map<std::string, long> places_;  // where the line of a key begins
  long end_ = 0;
};

}  // namespace canopy
