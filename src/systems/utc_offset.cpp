#include "systems/utc_offset.hpp"

#include "core/excerpt.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

namespace canopy {
namespace {

constexpr std::int64_t kHour = 3600;  // in seconds
constexpr std::int64_t kDay = 24 * kHour;

/// Throws because a zone file cannot be used; `what` is the end of the message.
[[noreturn]] void refuse(const std::string& zone, const char* what) {
  throw TimeZoneError(fmt::format("the file of the time zone \"{}\" {}", excerpt(zone), what));
}

// --- the rule after the last listed change ---------------------------------------------------

/// The day of a year on which clocks change.
struct RuleDay {
  enum class Kind {
    weekday,   ///< the `week`th given weekday of a month, from 0, Sunday; week 5 is the last one
    julian,    ///< day 1 to 365, not counting 29 February
    from_zero  ///< day 0 to 365
  };

  Kind kind = Kind::weekday;
  std::int64_t month = 1;
  std::int64_t week = 1;
  std::int64_t day = 0;
  std::int64_t time = 2 * kHour;  ///< local seconds since midnight

  /// The moment in a year by the local clock, as if that were UTC.
  [[nodiscard]] std::int64_t in(std::chrono::year year) const {
    using namespace std::chrono;
    sys_days date;
    if (kind == Kind::weekday) {
      const auto of_month = year / std::chrono::month(static_cast<unsigned>(month));
      const std::chrono::weekday weekday(static_cast<unsigned>(day));
      date = week == 5 ? sys_days(of_month / weekday[last])
                       : sys_days(of_month / weekday[static_cast<unsigned>(week)]);
    } else {
      const bool is_after_february = kind == Kind::julian && day >= 60 && year.is_leap();
      const std::int64_t first = kind == Kind::julian ? 1 : 0;
      date = sys_days(year / January / 1) + days(day - first + (is_after_february ? 1 : 0));
    }
    return date.time_since_epoch().count() * kDay + time;
  }
};

/// A rule in POSIX form with the extensions of RFC 8536, such as `CET-1CEST,M3.5.0,M10.5.0/3`.
class ZoneRule {
 public:
  ZoneRule(std::string_view text, const std::string& zone) : text_(text), zone_(zone) {
    skip_name();
    standard_ = -read_time();
    if (text_.empty()) return;
    skip_name();
    summer_ = standard_ + kHour;
    if (!text_.empty() && text_.front() != ',') summer_ = -read_time();
    has_summer_ = true;
    begin_ = read_day();
    end_ = read_day();
    if (!text_.empty()) fail();
  }

  [[nodiscard]] std::int64_t offset_at(std::int64_t at) const {
    if (!has_summer_) return standard_;
    using namespace std::chrono;
    const auto today = floor<days>(sys_seconds(seconds(at + standard_)));
    const auto this_year = year_month_day(today).year();
    const std::int64_t begin = begin_.in(this_year)-standard_;
    const std::int64_t end = end_.in(this_year)-summer_;
    const bool is_summer =
        begin < end
            ? at >= begin && at < end
            : at >= begin || at < end;  // summer spans the new year in the southern hemisphere
    return is_summer ? summer_ : standard_;
  }

 private:
  [[noreturn]] void fail() const { refuse(zone_, "has an unsupported rule"); }

  [[nodiscard]] bool is_next(char letter) const { return !text_.empty() && text_[0] == letter; }
  [[nodiscard]] bool skip(char letter) {
    const bool is_it = is_next(letter);
    if (is_it) text_.remove_prefix(1);
    return is_it;
  }

  void skip_name() {
    const std::size_t end =
        is_next('<') ? text_.find('>') + 1 : text_.find_first_of("+-0123456789,");
    if (end == 0) fail();
    text_.remove_prefix(std::min(end, text_.size()));
  }

  std::int64_t read_number() {
    std::int64_t number = 0;
    std::size_t digits = 0;
    for (; digits < text_.size() && digits < 4 && text_[digits] >= '0' && text_[digits] <= '9';
         ++digits) {
      number = 10 * number + (text_[digits] - '0');
    }
    if (digits == 0) fail();
    text_.remove_prefix(digits);
    return number;
  }

  /// Parses a time such as `-3:30`; returns seconds.
  std::int64_t read_time() {
    const std::int64_t sign = skip('-') ? -1 : 1;
    if (sign > 0) (void)skip('+');
    std::int64_t time = read_number() * kHour;
    if (skip(':')) time += read_number() * 60;
    if (skip(':')) time += read_number();
    return sign * time;
  }

  RuleDay read_day() {
    if (!skip(',')) fail();
    RuleDay day;
    if (skip('M')) {
      day.month = read_number();
      const bool has_week = skip('.');
      day.week = has_week ? read_number() : 0;
      const bool has_day = skip('.');
      day.day = has_day ? read_number() : 7;
      if (day.month < 1 || day.month > 12 || day.week < 1 || day.week > 5 || day.day > 6) fail();
    } else {
      day.kind = skip('J') ? RuleDay::Kind::julian : RuleDay::Kind::from_zero;
      day.day = read_number();
      if (day.day > 365 || (day.kind == RuleDay::Kind::julian && day.day < 1)) fail();
    }
    if (skip('/')) day.time = read_time();
    return day;
  }

  std::string_view text_;
  const std::string& zone_;
  std::int64_t standard_ = 0;
  std::int64_t summer_ = 0;
  bool has_summer_ = false;
  RuleDay begin_;
  RuleDay end_;
};

// --- the changes listed in a zone file -------------------------------------------------------

class ZoneFile {
 public:
  ZoneFile(std::string_view bytes, const std::string& zone) : bytes_(bytes), zone_(zone) {}

  [[nodiscard]] std::int64_t offset_at(std::int64_t at) {
    Counts counts = read_header();
    if (version_ < '2') refuse(zone_, "has an unsupported old format");
    skip(counts.changes * 5 + counts.kinds * 6 + counts.letters + counts.leaps * 8 +
         counts.is_standard + counts.is_utc);  // skip the 32-bit data
    counts = read_header();
    if (counts.kinds == 0) refuse(zone_, "is damaged");
    const std::string_view times = skip(counts.changes * 8);
    const std::string_view kinds = skip(counts.changes);
    const std::string_view offsets = skip(counts.kinds * 6);
    skip(counts.letters + counts.leaps * 12 + counts.is_standard + counts.is_utc);
    std::size_t before = 0;  // number of changes before the given time
    while (before < counts.changes && whole(times.substr(8 * before, 8)) <= at) ++before;
    const std::string_view rule = rule_after();
    if (before == counts.changes && !rule.empty()) return ZoneRule(rule, zone_).offset_at(at);
    const std::size_t kind = before == 0 ? 0 : static_cast<unsigned char>(kinds[before - 1]);
    if (kind >= counts.kinds) refuse(zone_, "is damaged");
    return whole(offsets.substr(6 * kind, 4));
  }

 private:
  struct Counts {
    std::size_t is_utc, is_standard, leaps, changes, kinds, letters;
  };

  std::string_view skip(std::size_t size) {
    if (size > bytes_.size()) refuse(zone_, "is damaged");
    const std::string_view skipped = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return skipped;
  }

  /// Parses a signed big-endian integer.
  static std::int64_t whole(std::string_view bytes) {
    std::uint64_t number = (static_cast<unsigned char>(bytes[0]) & 0x80U) != 0 ? ~0ULL : 0ULL;
    for (const char byte : bytes) number = number << 8U | static_cast<unsigned char>(byte);
    return static_cast<std::int64_t>(number);
  }

  Counts read_header() {
    const std::string_view head = skip(44);
    if (!head.starts_with("TZif")) refuse(zone_, "is not a time zone file");
    version_ = head[4];
    const auto count = [&](std::size_t index) {
      const std::int64_t number = whole(head.substr(20 + 4 * index, 4));
      if (number < 0) refuse(zone_, "is damaged");
      return static_cast<std::size_t>(number);
    };
    return {count(0), count(1), count(2), count(3), count(4), count(5)};
  }

  /// The text between two line ends.
  [[nodiscard]] std::string_view rule_after() const {
    if (!bytes_.starts_with('\n')) return {};
    const std::size_t end = bytes_.find('\n', 1);
    return end == std::string_view::npos ? std::string_view() : bytes_.substr(1, end - 1);
  }

  std::string_view bytes_;
  const std::string& zone_;
  char version_ = '\0';
};

double offset_of_machine(double seconds_since_1970) {
  const auto time = static_cast<std::time_t>(std::floor(seconds_since_1970));
  std::tm parts{};
  localtime_r(&time, &parts);
  return static_cast<double>(parts.tm_gmtoff);
}

}  // namespace

double utc_offset_in(std::string_view file, const std::string& zone, double seconds_since_1970) {
  const auto at = static_cast<std::int64_t>(std::floor(seconds_since_1970));
  return static_cast<double>(ZoneFile(file, zone).offset_at(at));
}

double utc_offset(const std::string& zone, double seconds_since_1970) {
  if (zone.empty()) return offset_of_machine(seconds_since_1970);
  const char* given =
      std::getenv("TZDIR");  // NOLINT(concurrency-mt-unsafe): not modified by canopy
  const std::string folder = given != nullptr ? given : "/usr/share/zoneinfo";
  const std::string path = folder + "/" + zone;
  const bool leaves_it = zone.front() == '/' || zone.find("..") != std::string::npos;
  std::error_code ignored;
  std::ifstream file;
  if (!leaves_it && std::filesystem::is_regular_file(path, ignored)) {
    file.open(path, std::ios::binary);
  }
  const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (bytes.empty()) {
    throw TimeZoneError(
        fmt::format("this machine has no time zone \"{}\" in {}; names are such as "
                    "\"Europe/Berlin\"",
                    excerpt(zone), folder));
  }
  return utc_offset_in(bytes, zone, seconds_since_1970);
}

}  // namespace canopy
