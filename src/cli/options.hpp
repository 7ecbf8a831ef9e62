#pragma once

#include "canopy/hct.hpp"

#include "cli/failure.hpp"
#include "optimizers/hct_fields.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

namespace canopy::cli {

/// `--mixing-time` for `mixing_time`.
[[nodiscard]] std::string flag(std::string_view name);

/// The number that the text of an option means. Throws WrongUse when it means none, or one that is
/// out of range.
[[nodiscard]] double parse_real(std::string_view option, const std::string& text,
                                const Range& range);

/// The same for whole numbers, which may be written as 100000 or 1e5.
[[nodiscard]] std::uint64_t parse_whole(std::string_view option, const std::string& text,
                                        std::uint64_t least, std::uint64_t most);

/// HCT's options on the command line. The names, ranges and help are those of the one list in
/// optimizers/hct_fields.hpp.
class HctFlags {
 public:
  explicit HctFlags(const HctOptions& defaults = {}) : defaults_(defaults) {}

  void add_to(CLI::App& command);

  /// The options as given, over the defaults. Throws WrongUse.
  [[nodiscard]] HctOptions parse() const;

 private:
  HctOptions defaults_;
  std::map<std::string, std::optional<std::string>, std::less<>> texts_;
};

}  // namespace canopy::cli
