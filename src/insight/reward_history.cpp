#include "insight/reward_history.hpp"

#include "core/excerpt.hpp"
#include "core/text.hpp"
#include "insight/change_text.hpp"

#include <algorithm>
#include <functional>
#include <span>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>

namespace canopy {
namespace {

constexpr std::size_t kLongestText = 200;    // bytes of a mark's text
constexpr std::uint64_t kMostRead = 25'600;  // maximum number of entries read for one picture
constexpr std::size_t kBlocksAtOnce = 16;    // blocks whose entries are read together

/// A hash of an arm, never 0.
std::size_t hash_of(const std::vector<double>& arm) {
  const std::string_view bytes(reinterpret_cast<const char*>(arm.data()),
                               arm.size() * sizeof(double));
  return std::hash<std::string_view>()(bytes) | 1;
}

struct MarkText {
  using Text = std::optional<std::string>;

  Text operator()(const Failed& event) const {
    return event.for_good ? event.what : event.what + " (will be retried)";
  }
  Text operator()(const Penalized& event) const { return "learnt as " + to_text(event.reward); }
  Text operator()(const Barred& event) const { return "learnt as " + to_text(event.reward); }
  Text operator()(const TunerStarted& /*event*/) const { return "a tuner started"; }
  Text operator()(const TunerStopped& event) const { return event.why; }
  Text operator()(const Finished& /*event*/) const { return "finished"; }
  Text operator()(const CommandAccepted& event) const {
    return std::string(name_of(event.command)) + ", by " + event.by;
  }
  Text operator()(const ComparisonBegun& /*event*/) const {
    return "the best setting is compared with the baseline";
  }
  Text operator()(const ComparisonEnded& event) const { return event.verdict; }
  Text operator()(const Changed& event) const { return change_text(event.change); }
  Text operator()(const RangeSet& event) const {
    if (!event.range) return "the range of rewards is learnt";
    return "rewards range from " + to_text(event.range->front()) + " to " +
           to_text(event.range->back());
  }
  template <class Other>
  Text operator()(const Other& /*event*/) const {
    return std::nullopt;
  }
};

}  // namespace

HistoryPart& HistoryPart::operator+=(const HistoryPart& next) {
  last_at = next.last_at;
  length += next.length;
  rewards += next.rewards;
  baseline += next.baseline;
  level += next.level;
  failures += next.failures;
  changes += next.changes;
  return *this;
}

// --- folding the journal ---------------------------------------------------------------------

HistoryPart HistoryFold::take(const JournalEntry& entry) {
  HistoryPart part{
      .first = entry.number, .first_at = entry.at, .last_at = entry.at, .pulls = pulls_};
  std::visit(
      [&]<class Kind>(const Kind& event) {
        if constexpr (std::is_same_v<Kind, Told>) {
          if (!event.skipped) {
            (event.is_baseline ? part.baseline : part.rewards) = sums_of(event.rewards);
          }
        } else if constexpr (std::is_same_v<Kind, Observed>) {
          if (event.role == Role::baseline) part.baseline = sums_of(event.rewards);
        } else if constexpr (std::is_same_v<Kind, Compared>) {
          (event.is_baseline ? part.baseline : part.rewards) = Rewards::one(event.reward);
        } else if constexpr (std::is_same_v<Kind, LevelSeen>) {
          part.level = Rewards::one(event.reward);
        } else if constexpr (std::is_same_v<Kind, Failed>) {
          // A final failure of an arm is followed by a penalty, which counts as the failure.
          part.failures = event.for_good && event.ticket != 0 ? 0 : 1;
        } else if constexpr (std::is_same_v<Kind, Penalized>) {
          part.failures = 1;
          part.length = 1;
        } else if constexpr (std::is_same_v<Kind, Applied>) {
          applies_ = true;
          part.changes = is_change(event.arm) ? 1 : 0;
        } else if constexpr (std::is_same_v<Kind, Asked>) {
          if (!applies_) part.changes = is_change(event.arm) ? 1 : 0;
        }
      },
      entry.event);
  part.length += part.rewards.count;
  pulls_ += part.length;
  return part;
}

bool HistoryFold::is_change(const std::vector<double>& arm) {
  const std::size_t before = std::exchange(arm_, hash_of(arm));
  return before != 0 && before != arm_;
}

std::optional<HistoryMark> mark_of(const JournalEntry& entry, std::uint64_t pulls) {
  const std::optional<std::string> text = std::visit(MarkText(), entry.event);
  if (!text) return std::nullopt;
  return HistoryMark{.number = entry.number,
                     .pull = static_cast<double>(pulls),
                     .at = entry.at,
                     .kind = entry.event.index(),
                     .text = excerpt(*text, kLongestText)};
}

void RewardHistory::Marks::add(HistoryMark mark) {
  if (count++ % stride != 0) return;
  kept.push_back(std::move(mark));
  if (kept.size() <= kMost) return;
  stride *= 2;  // keep every other mark
  for (std::size_t i = 1; 2 * i < kept.size(); ++i) kept[i] = std::move(kept[2 * i]);
  kept.resize((kept.size() + 1) / 2);
}

void RewardHistory::take(const JournalEntry& entry) {
  const HistoryFold before = fold_;
  const HistoryPart part = fold_.take(entry);
  baseline_ += part.baseline;
  events_ = entry.number;
  if (auto mark = mark_of(entry, before.pulls())) {
    marks_.at(entry.event.index()).add(std::move(*mark));
  }
  const bool begins = blocks_.empty() || blocks_.back().events == kEventsInBlock ||
                      entry.at - blocks_.back().part.last_at > kLongestPause;
  if (begins) {
    blocks_.push_back({.part = part, .before = before});
  } else {
    blocks_.back().part += part;
  }
  Block& block = blocks_.back();
  ++block.events;
  block.kinds |= 1U << entry.event.index();
  if (const auto* asked = std::get_if<Asked>(&entry.event)) last_ticket_ = asked->ticket;
  block.last_ticket = last_ticket_;
}

double RewardHistory::first_at() const {
  return blocks_.empty() ? 0.0 : blocks_.front().part.first_at;
}

double RewardHistory::last_at() const {
  return blocks_.empty() ? 0.0 : blocks_.back().part.last_at;
}

std::size_t RewardHistory::bytes() const {
  std::size_t bytes = blocks_.capacity() * sizeof(Block);
  for (const Marks& marks : marks_) {
    bytes += marks.kept.capacity() * (sizeof(HistoryMark) + kLongestText / 2);
  }
  return bytes;
}

// --- pictures --------------------------------------------------------------------------------

namespace {

using Block = RewardHistory::Block;

/// Maps events to positions in a picture.
class Axis {
 public:
  Axis(const RewardHistory& history, const HistoryRange& range)
      : by_time_(range.by_time),
        buckets_(range.buckets),
        from_(range.from.value_or(by_time_ ? history.first_at() : 0.0)),
        to_(range.to.value_or(by_time_ ? history.last_at()
                                       : static_cast<double>(history.pulls()))) {}

  [[nodiscard]] double from() const { return from_; }
  [[nodiscard]] double to() const { return to_; }

  [[nodiscard]] bool has(const HistoryPart& part) const { return has(x_of(part)); }
  [[nodiscard]] bool has(const HistoryMark& mark) const {
    return has(by_time_ ? mark.at : mark.pull);
  }

  [[nodiscard]] std::size_t bucket_of(const HistoryPart& part) const {
    if (!(to_ > from_)) return 0;
    const double place = (x_of(part) - from_) / (to_ - from_) * static_cast<double>(buckets_);
    return std::min(static_cast<std::size_t>(place), buckets_ - 1);
  }

  /// The blocks that overlap the picture.
  [[nodiscard]] std::span<const Block> within(const std::vector<Block>& blocks) const {
    const auto ends_before = [&](const Block& block) {
      const HistoryPart& part = block.part;
      return (by_time_ ? part.last_at : static_cast<double>(part.pulls + part.length)) < from_;
    };
    const auto begins_within = [&](const Block& block) {
      const HistoryPart& part = block.part;
      return (by_time_ ? part.first_at : static_cast<double>(part.pulls)) <= to_;
    };
    const auto first = std::partition_point(blocks.begin(), blocks.end(), ends_before);
    return {first, std::partition_point(first, blocks.end(), begins_within)};
  }

 private:
  [[nodiscard]] bool has(double x) const { return x >= from_ && x <= to_; }
  [[nodiscard]] double x_of(const HistoryPart& part) const {
    return by_time_ ? part.at() : part.pull();
  }

  bool by_time_;
  std::size_t buckets_;
  double from_, to_;
};

/// Merges parts that fall into the same bucket.
class Thinned {
 public:
  explicit Thinned(const Axis& axis) : axis_(axis) {}

  void add(const HistoryPart& part) {
    const std::size_t bucket = axis_.bucket_of(part);
    if (!parts_.empty() && bucket == last_) {
      parts_.back() += part;
    } else {
      parts_.push_back(part);
    }
    last_ = bucket;
  }

  [[nodiscard]] std::vector<HistoryPart> take() { return std::move(parts_); }

 private:
  const Axis& axis_;
  std::vector<HistoryPart> parts_;
  std::size_t last_ = 0;
};

/// Moves failures and changes to the next part with rewards, or to the last one.
std::vector<HistoryPart> with_rewards(const std::vector<HistoryPart>& parts) {
  std::vector<HistoryPart> with;
  std::uint32_t failures = 0;
  std::uint32_t changes = 0;
  for (const HistoryPart& part : parts) {
    failures += part.failures;
    changes += part.changes;
    if (part.rewards.count == 0) continue;
    with.push_back(part);
    with.back().failures = std::exchange(failures, 0);
    with.back().changes = std::exchange(changes, 0);
  }
  if (with.empty()) return with;
  with.back().failures += failures;
  with.back().changes += changes;
  return with;
}

/// The parts in which the given member has rewards.
std::vector<HistoryPart> with_some(Rewards HistoryPart::*of, std::vector<HistoryPart> parts) {
  std::erase_if(parts, [of](const HistoryPart& part) { return (part.*of).count == 0; });
  return parts;
}

std::vector<HistoryPart> thinned(const Axis& axis, const std::vector<HistoryPart>& parts) {
  Thinned thin(axis);
  for (const HistoryPart& part : parts) thin.add(part);
  return thin.take();
}

/// Selects some of the marks evenly, including the first and the last.
void take_evenly(const std::vector<const HistoryMark*>& marks, std::size_t most,
                 std::vector<HistoryMark>& taken) {
  const std::size_t count = std::min(marks.size(), most);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t place = count == 1 ? 0 : i * (marks.size() - 1) / (count - 1);
    taken.push_back(*marks[place]);
  }
}

/// Keeps all marks of rare kinds, and equal numbers of marks of the other kinds.
void thin_marks(std::vector<std::vector<const HistoryMark*>> by_kind,
                std::vector<HistoryMark>& taken) {
  std::stable_sort(by_kind.begin(), by_kind.end(),
                   [](const auto& a, const auto& b) { return a.size() < b.size(); });
  for (std::size_t i = 0; i < by_kind.size(); ++i) {
    take_evenly(by_kind[i], (kMostMarks - taken.size()) / (by_kind.size() - i), taken);
  }
  std::sort(taken.begin(), taken.end(),
            [](const HistoryMark& a, const HistoryMark& b) { return a.number < b.number; });
}

/// Entries of a short period, one part each, and where to find their arms.
class Entries {
 public:
  Entries(const RewardHistory& history, const Axis& axis, const ReadEntries& read)
      : history_(history), axis_(axis), read_(read) {}

  void take(std::span<const Block> blocks) {
    HistoryFold fold = blocks.front().before;
    read_(blocks.front().part.first - 1, count_of(blocks), [&](const JournalEntry& entry) {
      note_arm(entry.event);
      if (auto mark = mark_of(entry, fold.pulls()); mark && axis_.has(*mark)) {
        marks_.push_back(std::move(*mark));
      }
      const HistoryPart part = fold.take(entry);
      const bool shows = part.rewards.count + part.baseline.count + part.level.count +
                             part.failures + part.changes >
                         0;
      if (!shows || !axis_.has(part)) return;
      parts_.push_back(part);
      if (part.rewards.count > 0) sources_.push_back({ticket_of(entry.event), compared_.size()});
    });
  }

  [[nodiscard]] const std::vector<HistoryPart>& parts() const { return parts_; }
  [[nodiscard]] const std::vector<HistoryMark>& marks() const { return marks_; }
  /// The number of parts with rewards.
  [[nodiscard]] std::size_t rewards() const { return sources_.size(); }

  /// The arms of these parts.
  [[nodiscard]] std::vector<std::vector<double>> arms() {
    std::vector<std::vector<double>> arms;
    for (const Source& source : sources_) {
      if (source.ticket == kCompared) {
        arms.push_back(source.comparison == 0 ? compared_before()
                                              : compared_[source.comparison - 1]);
        continue;
      }
      if (!arms_.contains(source.ticket)) read_arms_beside(source.ticket);
      arms.push_back(arms_[source.ticket]);
    }
    return arms;
  }

  static std::uint64_t count_of(std::span<const Block> blocks) {
    const Block& last = blocks.back();
    return last.part.first + last.events - blocks.front().part.first;
  }

 private:
  /// Pulls of a comparison have no tickets; tickets begin at 1.
  static constexpr Ticket kCompared = 0;

  static Ticket ticket_of(const Event& event) {
    return std::visit(
        []<class Kind>(const Kind& each) -> Ticket {
          if constexpr (requires { each.ticket; }) return each.ticket;
          return kCompared;
        },
        event);
  }

  void note_arm(const Event& event) {
    std::visit(
        [&]<class Kind>(const Kind& each) {
          if constexpr (std::is_same_v<Kind, Asked>) {
            arms_[each.ticket] = each.arm;
          } else if constexpr (std::is_same_v<Kind, ComparisonBegun>) {
            compared_.push_back(each.arm);
          }
        },
        event);
  }

  /// The arm of the comparison that was in progress at the beginning of the picture.
  [[nodiscard]] std::vector<double> compared_before() const {
    const auto& begun = history_.marks().at(Event(ComparisonBegun()).index()).kept;
    const auto after = std::partition_point(
        begun.begin(), begun.end(),
        [&](const HistoryMark& mark) { return mark.number <= parts_.front().first; });
    std::vector<double> arm;
    if (after == begun.begin()) return arm;
    read_(std::prev(after)->number - 1, 1, [&](const JournalEntry& entry) {
      if (const auto* comparison = std::get_if<ComparisonBegun>(&entry.event))
        arm = comparison->arm;
    });
    return arm;
  }

  /// Finds the arm of a ticket that was issued before the beginning of the picture, and the arms of
  /// other such tickets.
  void read_arms_beside(Ticket ticket) {
    const std::vector<Block>& blocks = history_.blocks();
    const auto block = std::partition_point(
        blocks.begin(), blocks.end(), [&](const Block& each) { return each.last_ticket < ticket; });
    if (block == blocks.end()) return;
    read_(block->part.first - 1, block->events,
          [&](const JournalEntry& entry) { note_arm(entry.event); });
  }

  const RewardHistory& history_;
  const Axis& axis_;
  const ReadEntries& read_;
  std::vector<HistoryPart> parts_;
  /// Where to find the arm of a part with rewards.
  struct Source {
    Ticket ticket = kCompared;
    std::size_t comparison = 0;  ///< number of comparisons begun since the beginning of the picture
  };
  std::vector<Source> sources_;
  std::vector<std::vector<double>> compared_;  // the arms of these comparisons
  std::vector<HistoryMark> marks_;
  std::unordered_map<Ticket, std::vector<double>> arms_;
};

}  // namespace

HistoryPicture picture_of(const RewardHistory& history, const HistoryRange& range,
                          const ReadEntries& read) {
  const Axis axis(history, range);
  HistoryPicture picture{.from = axis.from(), .to = axis.to(), .is_raw = true};
  const std::span<const Block> blocks = axis.within(history.blocks());
  if (blocks.empty()) return picture;
  std::vector<std::vector<const HistoryMark*>> marks(std::variant_size_v<Event>);
  std::uint64_t marks_in_all = 0;
  const std::uint64_t most =
      std::min<std::uint64_t>(range.buckets * RewardHistory::kEventsInBlock, kMostRead);
  Entries entries(history, axis, read);
  if (Entries::count_of(blocks) <= most) {
    entries.take(blocks);
    picture.is_raw = entries.rewards() <= range.buckets;
    const std::vector<HistoryPart> rewards = with_rewards(entries.parts());
    picture.rewards = picture.is_raw ? rewards : thinned(axis, rewards);
    if (picture.is_raw) picture.arms = entries.arms();
    picture.baseline = thinned(axis, with_some(&HistoryPart::baseline, entries.parts()));
    picture.level = thinned(axis, with_some(&HistoryPart::level, entries.parts()));
    for (const HistoryMark& mark : entries.marks()) marks.at(mark.kind).push_back(&mark);
    marks_in_all = entries.marks().size();
  } else {
    picture.is_raw = false;
    std::vector<HistoryPart> parts;
    for (const Block& block : blocks) {
      if (axis.has(block.part)) parts.push_back(block.part);
    }
    picture.rewards = thinned(axis, with_rewards(parts));
    picture.baseline = thinned(axis, with_some(&HistoryPart::baseline, parts));
    picture.level = thinned(axis, with_some(&HistoryPart::level, parts));
    for (const RewardHistory::Marks& kind : history.marks()) {
      for (const HistoryMark& mark : kind.kept) {
        if (!axis.has(mark)) continue;
        marks.at(mark.kind).push_back(&mark);
        marks_in_all += kind.stride;
      }
    }
  }
  thin_marks(std::move(marks), picture.marks);
  picture.marks_left_out = marks_in_all - picture.marks.size();
  return picture;
}

// --- entries by kind -------------------------------------------------------------------------

namespace {

/// Calls visit with all entries of the given kinds in the blocks.
void visit_blocks(std::span<const Block> blocks, std::uint32_t kinds, const ReadEntries& read,
                  const std::function<void(const JournalEntry&)>& visit) {
  read(blocks.front().part.first - 1, Entries::count_of(blocks), [&](const JournalEntry& entry) {
    if ((kinds >> entry.event.index() & 1U) != 0) visit(entry);
  });
}

}  // namespace

void visit_oldest(const RewardHistory& history, std::uint32_t kinds, std::uint64_t after,
                  const ReadEntries& read, const std::function<bool(const JournalEntry&)>& visit) {
  const std::span<const Block> blocks(history.blocks());
  bool goes_on = true;
  for (std::size_t i = 0; i < blocks.size() && goes_on;) {
    const auto is_wanted = [&](const Block& block) {
      return (block.kinds & kinds) != 0 && block.part.first + block.events > after + 1;
    };
    std::size_t end = i;
    while (end < blocks.size() && end - i < kBlocksAtOnce && is_wanted(blocks[end])) ++end;
    if (end > i) {
      visit_blocks(blocks.subspan(i, end - i), kinds, read, [&](const JournalEntry& entry) {
        if (goes_on && entry.number > after) goes_on = visit(entry);
      });
    }
    i = std::max(end, i + 1);
  }
}

void visit_newest(const RewardHistory& history, std::uint32_t kinds, std::uint64_t before,
                  const ReadEntries& read, const std::function<bool(const JournalEntry&)>& visit) {
  const std::span<const Block> blocks(history.blocks());
  bool goes_on = true;
  for (std::size_t end = blocks.size(); end > 0 && goes_on;) {
    const auto is_wanted = [&](const Block& block) {
      return (block.kinds & kinds) != 0 && block.part.first < before;
    };
    std::size_t i = end;
    while (i > 0 && end - i < kBlocksAtOnce && is_wanted(blocks[i - 1])) --i;
    std::vector<JournalEntry> found;
    if (i < end) {
      visit_blocks(blocks.subspan(i, end - i), kinds, read, [&](const JournalEntry& entry) {
        if (entry.number < before) found.push_back(entry);
      });
    }
    for (auto entry = found.rbegin(); entry != found.rend() && goes_on; ++entry) {
      goes_on = visit(*entry);
    }
    end = std::min(i, end - 1);
  }
}

}  // namespace canopy
