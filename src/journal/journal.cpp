#include "canopy/journal.hpp"

#include <map>
#include <type_traits>

namespace canopy {
namespace {

/// Tracks, while a journal is read, the arms and contexts of open tickets and the system's current
/// arm.
class OpenArms {
 public:
  /// Returns the context of an event; empty if it has none. Must be called after `arm_of` for the
  /// same event.
  [[nodiscard]] Context context_of(const Event& event) const {
    return std::visit(
        [this]<class Kind>(const Kind& each) -> Context {
          if constexpr (std::is_same_v<Kind, Observed>) {
            return each.context;
          } else if constexpr (requires { each.ticket; }) {
            const auto open = tickets_.find(each.ticket);
            return open != tickets_.end() ? Context(open->second.context) : Context();
          } else {
            return {};
          }
        },
        event);
  }

  /// Returns the arm of an event, or null if it has none. Must be called before `close` for the
  /// same event.
  const std::vector<double>* arm_of(const Event& event) {
    return std::visit([this](const auto& each) { return find(each); }, event);
  }

  /// Removes a ticket that the event closes.
  void close(const Event& event) {
    std::visit(
        [this]<class Kind>(const Kind& each) {
          if constexpr (std::is_same_v<Kind, Told>) {
            use(each.ticket, count_of(each.rewards));
          } else if constexpr (std::is_same_v<Kind, Dropped> || std::is_same_v<Kind, Penalized>) {
            tickets_.erase(each.ticket);
          }
        },
        event);
  }

 private:
  struct Open {
    std::vector<double> arm;
    std::vector<double> then;  // the second arm of a duel, for the second half of the ticket
    std::uint64_t half;
    std::uint64_t remaining;
    std::vector<double> context;

    [[nodiscard]] const std::vector<double>& now() const {
      return !then.empty() && remaining <= half ? then : arm;
    }
  };

  const std::vector<double>* find(const Asked& event) {
    Open& open = tickets_[event.ticket];
    if (!event.again) context_ = event.context;
    open = {event.arm, event.then, event.length / 2, event.length, context_};
    return &open.arm;
  }
  const std::vector<double>* find(const Observed& event) {
    if (!event.context.empty()) context_ = event.context;
    return &event.arm;
  }
  const std::vector<double>* find(const Applied& event) { return &(setting_ = event.arm); }
  const std::vector<double>* find(const MetricsMeasured& event) {
    if (!event.context.empty()) context_ = event.context;
    return event.arm.empty() ? &setting_ : &event.arm;
  }
  const std::vector<double>* find(const Compared& event) {
    if (!event.context.empty()) context_ = event.context;
    return &setting_;
  }
  template <class Kind>
  const std::vector<double>* find(const Kind& event) {
    if constexpr (requires { event.arm; }) {
      return &event.arm;
    } else if constexpr (requires { event.ticket; }) {
      const auto open = tickets_.find(event.ticket);
      return open != tickets_.end() ? &open->second.now() : nullptr;
    } else {
      return nullptr;
    }
  }

  void use(Ticket ticket, std::uint64_t rewards) {
    const auto open = tickets_.find(ticket);
    if (open == tickets_.end()) return;
    open->second.remaining -= std::min(open->second.remaining, rewards);
    if (open->second.remaining == 0) tickets_.erase(open);
  }

  std::map<Ticket, Open> tickets_;
  std::vector<double> setting_;  // the setting that was applied last
  std::vector<double> context_;  // the context of the last event that had one
};

}  // namespace

void read_entries(Store& store, const StudyRecord& record, std::uint64_t after,
                  const std::function<void(const JournalEntry&)>& visit) {
  try {
    std::uint64_t last = after;
    store.read(record.id, {after}, [&](const JournalEntry& entry) {
      if (entry.number != ++last) {
        throw StudyError(StudyError::Fault::damaged,
                         fmt::format("event {} of its journal does not match: an event is "
                                     "missing before it",
                                     entry.number));
      }
      visit(entry);
    });
    if (last < record.events) {
      throw StudyError(StudyError::Fault::damaged,
                       fmt::format("its journal ends after event {} of {}", last, record.events));
    }
  } catch (const StudyError& error) {
    throw StudyError(error.fault(), record.name + ": " + error.what());
  }
}

void read_journal(Store& store, const StudyRecord& record,
                  const std::function<void(const JournalEntry&, std::optional<Arm>)>& visit) {
  read_journal(store, record,
               [&](const JournalEntry& entry, std::optional<Arm> arm, Context /*context*/) {
                 visit(entry, arm);
               });
}

void read_journal(
    Store& store, const StudyRecord& record,
    const std::function<void(const JournalEntry&, std::optional<Arm>, Context)>& visit) {
  OpenArms arms;
  read_entries(store, record, 0, [&](const JournalEntry& entry) {
    const std::vector<double>* arm = arms.arm_of(entry.event);
    const bool known = arm != nullptr && !arm->empty();
    visit(entry, known ? std::optional<Arm>(*arm) : std::nullopt, arms.context_of(entry.event));
    arms.close(entry.event);
  });
}

}  // namespace canopy
