#pragma once

#include "support/textbook_hct.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace canopy::testing {

/// Many pulls in flight over the textbook HCT, a literal implementation of the rules.
class TextbookProtocol {
 public:
  struct Open {
    std::size_t node;
    std::uint64_t remaining;
  };

  TextbookProtocol(std::shared_ptr<const Partition> partition, const HctOptions& options,
                   const Objective& objective)
      : hct_(std::move(partition), options, objective) {}

  /// Must be shown the rewards that are told or observed next, in the user's units.
  TextbookScale& scale() { return hct_.scale(); }

  /// Returns the new ticket; `open()` gives its node and length.
  std::uint64_t ask(std::uint64_t pulls) {
    if (!episode_) {
      const std::size_t node = hct_.select();
      const std::uint64_t length = hct_.episode_length(node);
      episode_ = Episode{node, length, length, 0, 0.0};
    }
    const std::uint64_t length = episode_->unissued == 0 ? 1 : std::min(pulls, episode_->unissued);
    episode_->unissued -= std::min(length, episode_->unissued);
    open_[++last_ticket_] = {episode_->node, length};
    return last_ticket_;
  }

  /// Tells mapped rewards, at most as many as the ticket has left.
  void tell(std::uint64_t ticket, std::uint64_t count, double sum) {
    Open& open = open_.at(ticket);
    const std::size_t node = open.node;
    open.remaining -= count;
    if (open.remaining == 0) open_.erase(ticket);
    hct_.advance(count);
    if (episode_ && episode_->node == node) {
      episode_->answered += count;
      episode_->sum += sum;
    } else {
      hct_.learn(node, static_cast<double>(count), sum);
    }
    if (episode_ && (episode_->answered >= episode_->length || hct_.t() >= hct_.t_plus())) finish();
  }

  /// Adds mapped observed rewards of an arm. They do not count as steps: t stays.
  void observe(const std::vector<double>& arm, std::uint64_t count, double sum) {
    hct_.observe(arm, static_cast<double>(count), sum);
  }

  void drop(std::uint64_t ticket) { open_.erase(ticket); }

  /// Ends the running episode.
  void finish() {
    if (!episode_) return;
    const Episode ended = *episode_;
    episode_.reset();
    if (ended.answered != 0) {
      hct_.learn(ended.node, static_cast<double>(ended.answered), ended.sum);
    }
  }

  [[nodiscard]] const TextbookHct& hct() const { return hct_; }
  [[nodiscard]] const std::map<std::uint64_t, Open>& open() const { return open_; }

 private:
  struct Episode {
    std::size_t node;
    std::uint64_t length;
    std::uint64_t unissued;
    std::uint64_t answered;
    double sum;
  };

  TextbookHct hct_;
  std::optional<Episode> episode_;
  std::map<std::uint64_t, Open> open_;
  std::uint64_t last_ticket_ = 0;
};

}  // namespace canopy::testing
