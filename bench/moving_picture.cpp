// Prints the best arm of a moving system and the arms that the adaptive tree plays, with drift =
// none and with auto, as a gnuplot script from which `make figures` draws
// docs/figures/adaptive_jumps.png and adaptive_traffic_day.png.
//
//   moving_picture jumps | traffic-day

#include "canopy/adaptive.hpp"
#include "canopy/moving.hpp"
#include "canopy/random.hpp"

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace {

using namespace canopy;

constexpr std::uint64_t kPulls = 10'000;
constexpr double kNoise = 0.1;

Moving system_of(std::string_view name) {
  if (name == "traffic-day") {
    return Moving(
        TrafficDayOptions{.span = kPulls, .noise = Noise::gaussian, .noise_width = kNoise});
  }
  return Moving(MovingOptions{
      .optimum = Motion::jumps, .span = kPulls, .noise = Noise::gaussian, .noise_width = kNoise});
}

/// The data of a run, as gnuplot blocks.
struct Run {
  std::string arms;
  std::string changes;
  double regret = 0.0;
  std::uint64_t noticed = 0;
};

Run played(std::string_view name, Drift drift) {
  Moving system = system_of(name);
  RandomStream random({.environment = name, .purpose = "picture"});
  system.start(random);
  Adaptive tree(system.space(), {.drift = drift});
  Run run;
  for (std::uint64_t t = 1; t <= kPulls; ++t) {
    const Pull pull = tree.ask(1);
    run.arms += fmt::format("{} {}\n", t, pull.arm[0]);
    run.regret += system.optimum_at(t).value - system.mean_reward_at(pull.arm, t);
    (void)tree.tell(pull.ticket, system.pull(pull.arm, random));
    const std::uint64_t noticed = tree.summary().changes;
    if (noticed != run.noticed) run.changes += fmt::format("{0} 0\n{0} 1\n\n", t);
    run.noticed = noticed;
  }
  run.regret /= static_cast<double>(kPulls);
  return run;
}

constexpr const char* kPreamble = R"(set terminal pngcairo size 1400,880 font 'sans,15' noenhanced
set multiplot
set lmargin at screen 0.065
set rmargin at screen 0.965
set border 3 lc rgb '#888888'
set tics nomirror out textcolor rgb '#444444'
set xrange [0:10000]
set yrange [0:1]
set xtics 2000
set ytics 0.25
set ylabel 'x' offset 2.5,0
)";

void print_panel(std::string_view drift, const Run& run, bool is_first) {
  const double top = is_first ? 0.9 : 0.47;
  fmt::print("$arms << END\n{}END\n$changes << END\n{}END\n", run.arms,
             run.changes.empty() ? "0 NaN\n" : run.changes);
  const std::string noticed =
      drift == "none" ? "" : fmt::format(", {} changes noticed", run.noticed);
  fmt::print(
      "set tmargin at screen {}\nset bmargin at screen {}\nset format x '{}'\n"
      "set xlabel '{}' offset 0,0.3\n{}\n"
      "set label 1 'drift = \"{}\": regret {:.3f} per pull{}' at graph 0, graph 1.07 font ',17'\n",
      top, top - 0.37, is_first ? "" : "%g", is_first ? "" : "pull",
      is_first ? "set key at screen 0.965, screen 0.975 right top horizontal samplen 2 font ',15'"
               : "unset key",
      drift, run.regret, noticed);
  fmt::print(
      "plot $changes using 1:2 with lines lw 1.5 lc rgb '#d4d4d4' title 'change noticed', "
      "$best using 1:2 with lines lw 3 lc rgb '#e08214' title 'best arm', "
      "$arms using 1:2 with points pt 7 ps 0.35 lc rgb '#901f5fa8' notitle, "
      "NaN with points pt 7 ps 1 lc rgb '#1f5fa8' title 'arm played'\n");
}

}  // namespace

int main(int count, char** arguments) {
  const std::string_view name = count > 1 ? arguments[1] : "jumps";
  const Moving system = system_of(name);
  fmt::print("{}$best << END\n", kPreamble);
  for (std::uint64_t t = 1; t <= kPulls; ++t) {
    fmt::print("{} {}\n", t, system.optimum_at(t).arm[0]);
  }
  fmt::print("END\n");
  print_panel("none", played(name, Drift::none), true);
  print_panel("auto", played(name, Drift::automatic), false);
  return EXIT_SUCCESS;
}
