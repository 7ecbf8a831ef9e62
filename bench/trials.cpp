// Compares the tuner's claims with the truth over many simulated studies: `trials [STUDIES
// [NAMES]]`. Names of systems, options and kinds of noise select what is tried; without any name of
// one sort, all of that sort are tried.

#include "trials/campaign.hpp"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace {

using canopy::Disturbance;

/// Keeps the items of a list whose names are given, if any are, and removes these names from
/// `words`.
template <class Item, class NameOf>
void keep_named(std::vector<Item>& all, std::vector<std::string>& words, NameOf&& name) {
  std::vector<Item> named;
  for (const Item& item : all) {
    if (std::erase(words, std::string(name(item))) != 0) named.push_back(item);
  }
  if (!named.empty()) all = std::move(named);
}

void explain() {
  fmt::print("usage: trials [STUDIES [NAMES]], for example: trials 200 flat gaussian ar_98\n\n");
  for (const auto& system : canopy::trial_systems())
    fmt::print("  {:<10} {}\n", system.name, system.line);
  fmt::print("\n");
  for (const auto& options : canopy::trial_options())
    fmt::print("  {:<10} {}\n", options.name, options.line);
  fmt::print("\n  {}\n", fmt::join(canopy::EnumNames<Disturbance>::names, ", "));
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  canopy::Campaign campaign = canopy::full_campaign();
  if (!words.empty()) {
    campaign.studies = std::strtoull(words.front().c_str(), nullptr, 10);
    words.erase(words.begin());
  }
  keep_named(campaign.systems, words, [](const auto* system) { return system->name; });
  keep_named(campaign.options, words, [](const auto* options) { return options->name; });
  keep_named(campaign.noises, words, [](Disturbance noise) { return canopy::name_of(noise); });
  if (campaign.studies == 0 || !words.empty()) {
    if (!words.empty()) fmt::print(stderr, "trials: unknown name: {}\n", fmt::join(words, ", "));
    explain();
    return 2;
  }
  fmt::print("{} studies of {} pulls each; the noise is {:g} of the range of mean rewards\n\n{}",
             campaign.studies, campaign.pulls, campaign.size, canopy::trial_heading());
  canopy::run_campaign(campaign, [](const canopy::TrialRow& row) {
    fmt::print("{}", canopy::trial_line(row));
    std::fflush(stdout);
  });
  return 0;
}
