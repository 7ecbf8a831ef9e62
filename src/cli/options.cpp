#include "cli/options.hpp"

#include "core/text.hpp"
#include "optimizers/enum_names.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <type_traits>

namespace canopy::cli {
namespace {

/// The number of a text that is nothing but a number.
template <class Number>
std::optional<Number> number_in(const std::string& text) {
  Number number{};
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, number);
  if (result.ec != std::errc() || result.ptr != end) return std::nullopt;
  return number;
}

/// What an option is when it is not given, for the help.
std::string default_text(double value) {
  return to_text(value);
}
std::string default_text(const std::optional<double>& value) {
  return value ? to_text(*value) : "(preset)";
}
template <class Enum>
requires std::is_enum_v<Enum> std::string default_text(Enum value) {
  return std::string(name_of(value));
}

}  // namespace

std::string flag(std::string_view name) {
  std::string text = "--" + std::string(name);
  std::replace(text.begin(), text.end(), '_', '-');
  return text;
}

double parse_real(std::string_view option, const std::string& text, const Range& range) {
  const auto number = number_in<double>(text);
  if (number && range.contains(*number)) return *number;
  throw WrongUse(std::string(option) + " " + text + ": must be " + std::string(range.text));
}

std::uint64_t parse_whole(std::string_view option, const std::string& text, std::uint64_t least,
                          std::uint64_t most) {
  std::optional<std::uint64_t> whole = number_in<std::uint64_t>(text);
  if (!whole) {
    const auto real = number_in<double>(text);
    if (real && *real >= 0.0 && *real <= 0x1p53 && std::floor(*real) == *real) {
      whole = static_cast<std::uint64_t>(*real);
    }
  }
  if (whole && *whole >= least && *whole <= most) return *whole;
  throw WrongUse(std::string(option) + " " + text + ": must be a whole number from " +
                 std::to_string(least) + " to " + std::to_string(most));
}

void HctFlags::add_to(CLI::App& command) {
  visit_fields(defaults_, [&](const Field& field, const auto& member) {
    std::string help(field.help);
    if (!field.range.text.empty()) help += "; " + std::string(field.range.text);
    command.add_option(flag(field.name), texts_[std::string(field.name)], help)
        ->group("Options of hct")
        ->type_name("VALUE=" + default_text(member));
  });
}

HctOptions HctFlags::parse() const {
  HctOptions options = defaults_;
  visit_fields(options, [&](const Field& field, auto& member) {
    const auto found = texts_.find(field.name);
    if (found == texts_.end() || !found->second) return;
    const std::string& text = *found->second;
    using Member = std::remove_reference_t<decltype(member)>;
    if constexpr (std::is_enum_v<Member>) {
      const auto value = value_named<Member>(text);
      if (!value) {
        throw WrongUse(flag(field.name) + " " + text + ": " + must_be_named<Member>());
      }
      member = *value;
    } else {
      member = parse_real(flag(field.name), text, field.range);
    }
  });
  return options;
}

}  // namespace canopy::cli
