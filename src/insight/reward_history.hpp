#pragma once

#include "canopy/event.hpp"
#include "canopy/rewards.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace canopy {

/// What an event, or several in a row, add to a picture of the rewards of a study over time.
struct HistoryPart {
  std::uint64_t first = 0;               ///< number of the first event
  double first_at = 0.0, last_at = 0.0;  ///< seconds since 1970
  std::uint64_t pulls = 0;               ///< before it, those that failed included
  std::uint64_t length = 0;              ///< pulls that it has
  Rewards rewards = {};                  ///< learnt, or of an arm that is compared
  Rewards baseline = {};
  Rewards level = {};          ///< while that of all rewards moves
  std::uint32_t failures = 0;  ///< of pulls, and of tries that were repeated
  std::uint32_t changes = 0;   ///< of the arm

  /// Its middle: how many pulls came before that, and when it was.
  [[nodiscard]] double pull() const {
    return static_cast<double>(pulls) + 0.5 * static_cast<double>(length);
  }
  [[nodiscard]] double at() const { return first_at + 0.5 * (last_at - first_at); }

  HistoryPart& operator+=(const HistoryPart& next);
};

/// Turns entries of a journal into parts, in order.
class HistoryFold {
 public:
  [[nodiscard]] HistoryPart take(const JournalEntry& entry);

  [[nodiscard]] std::uint64_t pulls() const { return pulls_; }

 private:
  [[nodiscard]] bool is_change(const std::vector<double>& arm);

  std::uint64_t pulls_ = 0;
  std::size_t arm_ = 0;   // a hash of the last one; 0: there is none
  bool applies_ = false;  // a tuner does: what is asked for is not what the system has
};

/// Something that people want to see beside the rewards.
struct HistoryMark {
  std::uint64_t number = 0;  ///< of its event
  double pull = 0.0;         ///< pulls before it
  double at = 0.0;
  std::size_t kind = 0;  ///< as Event numbers them
  std::string text = {};
};

/// The mark of an event; none of most kinds.
[[nodiscard]] std::optional<HistoryMark> mark_of(const JournalEntry& entry, std::uint64_t pulls);

/// The rewards of a study over time, folded from its journal, in a hundredth of its size: parts of
/// some events each, and the marks. A picture of a long time is made of these alone; one of a short
/// time needs some entries from the store.
class RewardHistory {
 public:
  static constexpr std::size_t kEventsInBlock = 32;
  static constexpr double kLongestPause = 60.0;  ///< seconds between events of a block

  /// Some events in a row.
  struct Block {
    HistoryPart part;
    HistoryFold before;             ///< to fold its entries again
    std::uint64_t events = 0;       ///< that are in it
    std::uint64_t last_ticket = 0;  ///< that was asked for, up to its end
    std::uint32_t kinds = 0;        ///< a bit for each kind of event that is in it
  };
  static_assert(std::variant_size_v<Event> <= 32);

  /// The next entry of the journal.
  void take(const JournalEntry& entry);

  [[nodiscard]] std::uint64_t events() const { return events_; }
  [[nodiscard]] std::uint64_t pulls() const { return fold_.pulls(); }
  [[nodiscard]] const Rewards& baseline() const { return baseline_; }
  [[nodiscard]] const std::vector<Block>& blocks() const { return blocks_; }
  /// Of the first event and the last; 0 if there is none.
  [[nodiscard]] double first_at() const;
  [[nodiscard]] double last_at() const;

  /// Marks of one kind: all of them or, when there are very many, one of every `stride`.
  struct Marks {
    static constexpr std::size_t kMost = 4096;

    std::vector<HistoryMark> kept = {};
    std::uint64_t stride = 1;
    std::uint64_t count = 0;

    void add(HistoryMark mark);
  };
  using MarksByKind = std::array<Marks, std::variant_size_v<Event>>;
  [[nodiscard]] const MarksByKind& marks() const { return marks_; }

  /// About how much memory it takes.
  [[nodiscard]] std::size_t bytes() const;

 private:
  std::vector<Block> blocks_;
  HistoryFold fold_;
  Rewards baseline_;
  std::uint64_t events_ = 0;
  std::uint64_t last_ticket_ = 0;
  MarksByKind marks_;
};

/// Reads entries of a journal, as Store::read does.
using ReadEntries = std::function<void(std::uint64_t after, std::uint64_t limit,
                                       const std::function<void(const JournalEntry&)>& visit)>;

/// What of a history is to be seen.
struct HistoryRange {
  bool by_time = false;                      ///< `from` and `to` are seconds since 1970; else pulls
  std::optional<double> from = {}, to = {};  ///< none: the whole of it
  std::size_t buckets = 600;                 ///< at most so many parts
};

/// A part of a history, thinned out: the least and the largest of what was merged are still there.
struct HistoryPicture {
  double from = 0.0, to = 0.0;
  bool is_raw = false;                         ///< every part is one event
  std::vector<HistoryPart> rewards = {};       ///< each with at least one
  std::vector<std::vector<double>> arms = {};  ///< of these, if raw; empty where it is not known
  std::vector<HistoryPart> baseline = {};      ///< each with a measurement of the baseline
  std::vector<HistoryPart> level = {};         ///< each with a level that is followed
  std::vector<HistoryMark> marks = {};         ///< by number
  std::uint64_t marks_left_out = 0;
};

inline constexpr std::size_t kMostMarks = 300;  ///< in a picture

[[nodiscard]] HistoryPicture picture_of(const RewardHistory& history, const HistoryRange& range,
                                        const ReadEntries& read);

/// Calls visit with entries of some kinds (a bit each), reading no more than needed: in order, of
/// those after a number; or the newest first, of those before one. Until it returns false.
void visit_oldest(const RewardHistory& history, std::uint32_t kinds, std::uint64_t after,
                  const ReadEntries& read, const std::function<bool(const JournalEntry&)>& visit);
void visit_newest(const RewardHistory& history, std::uint32_t kinds, std::uint64_t before,
                  const ReadEntries& read, const std::function<bool(const JournalEntry&)>& visit);

}  // namespace canopy
