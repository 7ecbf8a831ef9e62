#include "systems/utc_offset.hpp"

#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace canopy {
namespace {

const std::vector<std::string> kZones{
    "Europe/Berlin",    "America/New_York",  "Europe/Dublin",     "Australia/Sydney",
    "America/St_Johns", "Asia/Kolkata",      "Pacific/Chatham",   "Africa/Casablanca",
    "Asia/Tehran",      "America/Sao_Paulo", "Europe/Lisbon",     "Etc/UTC",
    "Asia/Gaza",        "America/Santiago",  "Pacific/Kiritimati"};

constexpr double kYear = 365.2425 * 86'400.0;

/// The offset of a zone according to the C library.
double expected(const std::string& zone, double at) {
  (void)setenv("TZ", (":" + zone).c_str(), 1);
  tzset();
  const auto time = static_cast<std::time_t>(at);
  std::tm parts{};
  localtime_r(&time, &parts);
  (void)unsetenv("TZ");
  tzset();
  return static_cast<double>(parts.tm_gmtoff);
}

std::string complaint(const std::string& zone) {
  try {
    (void)utc_offset(zone, 0.0);
  } catch (const TimeZoneError& error) {
    return error.what();
  }
  return "";
}

std::string file_of(const std::string& zone) {
  std::ifstream file("/usr/share/zoneinfo/" + zone, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

RC_GTEST_PROP(UtcOffset, IsThatOfTheLibraryAtAnyTimeFrom1970To2150, ()) {
  const std::string zone = *rc::gen::elementOf(kZones);
  const auto at = static_cast<double>(
      *rc::gen::inRange<std::int64_t>(0, static_cast<std::int64_t>(180.0 * kYear)));
  RC_ASSERT(utc_offset(zone, at) == expected(zone, at));
}

TEST(UtcOffset, ChangesInTheSecondInWhichTheLibraryChangesIt) {
  for (const std::string& zone : kZones) {
    for (const double year : {1999.0, 2024.0, 2036.0, 2039.0, 2077.0}) {
      const double begin = (year - 1970.0) * kYear;
      double before = expected(zone, begin);
      for (double at = begin; at < begin + 1.1 * kYear; at += 43'200.0) {
        const double now = expected(zone, at);
        if (now == before) continue;
        double low = at - 43'200.0;  // bisected to the second
        double high = at;
        while (high - low > 1.5) {
          const double middle = low + static_cast<double>(static_cast<long>(0.5 * (high - low)));
          (expected(zone, middle) == before ? low : high) = middle;
        }
        EXPECT_EQ(utc_offset(zone, low), before) << zone << ' ' << year;
        EXPECT_EQ(utc_offset(zone, high), now) << zone << ' ' << year;
        before = now;
      }
    }
  }
}

TEST(UtcOffset, WithoutAZoneIsThatOfTheMachine) {
  const auto now = static_cast<double>(std::time(nullptr));
  const auto time = static_cast<std::time_t>(now);
  std::tm parts{};
  localtime_r(&time, &parts);
  EXPECT_EQ(utc_offset("", now), static_cast<double>(parts.tm_gmtoff));
}

TEST(UtcOffset, OfAnUnknownZoneIsRefusedInWords) {
  EXPECT_EQ(complaint("Europe/Berlin"), "");
  EXPECT_EQ(complaint("Europe/Berln"),
            "this machine has no time zone \"Europe/Berln\" in /usr/share/zoneinfo; names are such "
            "as \"Europe/Berlin\"");
  for (const char* name : {"Europe", "/etc/passwd", "../../../etc/passwd", "a\nb"}) {
    EXPECT_NE(complaint(name), "") << name;
  }
}

TEST(UtcOffset, OfADamagedFileIsRefused) {
  const std::string whole = file_of("Europe/Berlin");
  ASSERT_FALSE(whole.empty());
  EXPECT_EQ(utc_offset_in(whole, "zone", 1.6e9), expected("Europe/Berlin", 1.6e9));
  EXPECT_THROW((void)utc_offset_in("", "zone", 0.0), TimeZoneError);
  EXPECT_THROW((void)utc_offset_in("PNG", "zone", 0.0), TimeZoneError);
  for (std::size_t size = 0; size + 30 < whole.size(); size += 7) {
    EXPECT_THROW((void)utc_offset_in(whole.substr(0, size), "zone", 4e9), TimeZoneError) << size;
  }
  for (const char* rule : {"CET", "CET-1CEST", "CET-1CEST,M13.5.0,M10.5.0/3", "CET-1CEST,M3.5.0",
                           "<+03", "CET-1CEST,M3.5.0,M10.5.0/3 "}) {
    const std::string spoiled =
        whole.substr(0, whole.find_last_of('\n', whole.size() - 2) + 1) + rule + "\n";
    EXPECT_THROW((void)utc_offset_in(spoiled, "zone", 4e9), TimeZoneError) << rule;
  }
}

}  // namespace
}  // namespace canopy
