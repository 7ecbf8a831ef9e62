#pragma once

#include "canopy/options.hpp"
#include "canopy/partition.hpp"
#include "canopy/space.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

/// How the optimizers chose their arms when stores had their first format.
///
/// The journal of such a store has the asks and the answers, but not the arms. They are found by
/// running the journal once more, by the rules of that version. So these rules are frozen:
/// whatever becomes of the optimizers, nothing here may change an arm, a ticket or a length. They
/// are written to be checked rather than to be fast, and share no code with the optimizers. They
/// hold for studies of up to 2^53 rewards, beyond which HCT lost count.
namespace canopy::first_format {

/// Every option of the optimizer of that name, with its value: as given, or else the default of the
/// first format. Defaults that depend on the preset, the feedback or the dimension are filled in.
/// Names that the optimizer did not know are left out. Throws ConfigurationError where there was no
/// such optimizer.
[[nodiscard]] OptionValues completed_options(const std::string& optimizer,
                                             const OptionValues& given, std::size_t dimension);

/// The answer to an ask.
struct Played {
  std::uint64_t ticket = 0;
  std::vector<double> arm;
  std::uint64_t length = 0;  ///< how many rewards the ticket is good for
};

/// An optimizer of the first format. Rewards are in the user's units.
class Player {
 public:
  virtual ~Player() = default;

  /// UINT64_MAX: for as many pulls as there are.
  virtual Played ask(std::uint64_t pulls) = 0;

  // The next three return false where the first format refused, and then nothing has changed.

  /// All of these rewards, or none. A single reward was the same as a list of one.
  [[nodiscard]] virtual bool tell(std::uint64_t ticket, std::span<const double> rewards) = 0;
  [[nodiscard]] virtual bool tell_sums(std::uint64_t ticket, std::uint64_t count, double sum,
                                       double sum_squares) = 0;
  [[nodiscard]] virtual bool drop(std::uint64_t ticket) = 0;

  virtual void finish() = 0;
};

/// A player before its first pull. Options that are not given have their defaults. `split` is for
/// optimizers with a tree. The configuration is taken to be one that the first format accepted.
[[nodiscard]] std::unique_ptr<Player> make_player(const std::string& optimizer,
                                                  const OptionValues& options, const Space& space,
                                                  SplitRule split, bool minimizes,
                                                  const std::array<double, 2>& reward_range);

}  // namespace canopy::first_format
