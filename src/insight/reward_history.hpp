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

/// The contribution of one or several consecutive events to a picture of rewards over time.
struct HistoryPart {
  std::uint64_t first = 0;               ///< number of the first event
  double first_at = 0.0, last_at = 0.0;  ///< seconds since 1970
  std::uint64_t pulls = 0;               ///< before this part, including failed ones
  std::uint64_t length = 0;              ///< number of pulls in this part
  Rewards rewards = {};                  ///< learnt, or of an arm being compared
  Rewards baseline = {};
  Rewards level = {};          ///< the tracked level of all rewards
  std::uint32_t failures = 0;  ///< failed pulls and failed attempts
  std::uint32_t changes = 0;   ///< changes of the arm

  /// The middle of the part: the number of pulls before it, and its time.
  [[nodiscard]] double pull() const {
    return static_cast<double>(pulls) + 0.5 * static_cast<double>(length);
  }
  [[nodiscard]] double at() const { return first_at + 0.5 * (last_at - first_at); }

  HistoryPart& operator+=(const HistoryPart& next);
};

/// Converts journal entries to parts, in order.
class HistoryFold {
 public:
  [[nodiscard]] HistoryPart take(const JournalEntry& entry);

  [[nodiscard]] std::uint64_t pulls() const { return pulls_; }

 private:
  [[nodiscard]] bool is_change(const std::vector<double>& arm);

  std::uint64_t pulls_ = 0;
  std::size_t arm_ = 0;  // hash of the last arm; 0: none
  // Whether a tuner applies settings; an arm that was asked for is then not yet in force.
  bool applies_ = false;
};

/// An event that is shown beside the rewards.
struct HistoryMark {
  std::uint64_t number = 0;  ///< number of the event
  double pull = 0.0;         ///< number of pulls before it
  double at = 0.0;
  std::size_t kind = 0;  ///< index of the kind in Event
  std::string text = {};
};

/// The mark of an event; none for most kinds.
[[nodiscard]] std::optional<HistoryMark> mark_of(const JournalEntry& entry, std::uint64_t pulls);

/// The rewards of a study over time, folded from its journal at about a hundredth of its size:
/// blocks of consecutive events, and marks. A picture of a long period needs only these; a picture
/// of a short period also reads some entries from the store.
class RewardHistory {
 public:
  static constexpr std::size_t kEventsInBlock = 32;
  static constexpr double kLongestPause = 60.0;  ///< seconds between events of a block

  /// A block of consecutive events.
  struct Block {
    HistoryPart part;
    HistoryFold before;             ///< the state before its entries, for folding them again
    std::uint64_t events = 0;       ///< number of its events
    std::uint64_t last_ticket = 0;  ///< the last ticket issued up to its end
    std::uint32_t kinds = 0;        ///< a bit for each kind of event in it
  };
  static_assert(std::variant_size_v<Event> <= 32);

  /// Processes the next entry of the journal.
  void take(const JournalEntry& entry);

  [[nodiscard]] std::uint64_t events() const { return events_; }
  [[nodiscard]] std::uint64_t pulls() const { return fold_.pulls(); }
  [[nodiscard]] const Rewards& baseline() const { return baseline_; }
  [[nodiscard]] const std::vector<Block>& blocks() const { return blocks_; }
  /// The times of the first and the last event; 0 if there are none.
  [[nodiscard]] double first_at() const;
  [[nodiscard]] double last_at() const;

  /// Marks of one kind: all, or one of every `stride` if there are very many.
  struct Marks {
    static constexpr std::size_t kMost = 4096;

    std::vector<HistoryMark> kept = {};
    std::uint64_t stride = 1;
    std::uint64_t count = 0;

    void add(HistoryMark mark);
  };
  using MarksByKind = std::array<Marks, std::variant_size_v<Event>>;
  [[nodiscard]] const MarksByKind& marks() const { return marks_; }

  /// Approximate memory usage.
  [[nodiscard]] std::size_t bytes() const;

 private:
  std::vector<Block> blocks_;
  HistoryFold fold_;
  Rewards baseline_;
  std::uint64_t events_ = 0;
  std::uint64_t last_ticket_ = 0;
  MarksByKind marks_;
};

/// Reads entries of a journal, like Store::read.
using ReadEntries = std::function<void(std::uint64_t after, std::uint64_t limit,
                                       const std::function<void(const JournalEntry&)>& visit)>;

/// The part of a history to show.
struct HistoryRange {
  bool by_time = false;                      ///< `from` and `to` are seconds since 1970, else pulls
  std::optional<double> from = {}, to = {};  ///< none: unlimited
  std::size_t buckets = 600;                 ///< maximum number of parts
};

/// A thinned-out part of a history. Merged parts keep the smallest and the largest reward.
struct HistoryPicture {
  double from = 0.0, to = 0.0;
  bool is_raw = false;                         ///< every part is a single event
  std::vector<HistoryPart> rewards = {};       ///< parts with at least one reward
  std::vector<std::vector<double>> arms = {};  ///< of these parts, if raw; empty if unknown
  std::vector<HistoryPart> baseline = {};      ///< parts with measurements of the baseline
  std::vector<HistoryPart> level = {};         ///< parts with a tracked level
  std::vector<HistoryMark> marks = {};         ///< ordered by number
  std::uint64_t marks_left_out = 0;
};

inline constexpr std::size_t kMostMarks = 300;  ///< in a picture

[[nodiscard]] HistoryPicture picture_of(const RewardHistory& history, const HistoryRange& range,
                                        const ReadEntries& read);

/// Calls visit with entries of the given kinds (a bit for each) until visit returns false, and
/// reads no more than necessary. visit_oldest goes forward from the entry after a number;
/// visit_newest goes backward from the entry before a number.
void visit_oldest(const RewardHistory& history, std::uint32_t kinds, std::uint64_t after,
                  const ReadEntries& read, const std::function<bool(const JournalEntry&)>& visit);
void visit_newest(const RewardHistory& history, std::uint32_t kinds, std::uint64_t before,
                  const ReadEntries& read, const std::function<bool(const JournalEntry&)>& visit);

}  // namespace canopy
