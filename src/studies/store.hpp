#pragma once

#include "studies/event.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace canopy {

/// Thrown when the store cannot be read or written. The message names the file and says what to do.
class StoreError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A study as the store lists it.
struct StudyRecord {
  std::int64_t id = 0;
  std::string name;
  std::string source;       ///< the study file, as text
  std::string forked_from;  ///< the name of another study, or empty
  double created = 0.0;     ///< seconds since 1970
  double updated = 0.0;     ///< when the last event happened
  std::uint64_t events = 0;
  std::uint64_t pulls = 0;  ///< rewards learnt
  std::string holder;       ///< who opened it last to write
};

/// What an optimizer had saved after so many events.
struct Snapshot {
  std::uint64_t events = 0;
  std::string state;
};

/// Studies in one SQLite file: what they are, their journals, their last snapshots. What a function
/// has written is on the disk when it returns, and a function that throws has written nothing.
/// Readers never wait for the writer. Nothing but the opening knows that it is SQLite: the
/// statements are also PostgreSQL's. Not thread-safe, and not to be carried across a fork: a child
/// whose parent has the same file open is refused.
class Store {
 public:
  static constexpr int kVersion = 1;

  enum class Mode {
    create,  ///< makes the file if it is not there
    open,    ///< it must be there
  };

  /// Throws StoreError.
  Store(std::string path, Mode mode);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }

  /// By name.
  [[nodiscard]] std::vector<StudyRecord> list();
  [[nodiscard]] std::optional<StudyRecord> find(const std::string& name);

  /// A new study, with a copy of another one's journal if that is given.
  StudyRecord create(const std::string& name, const std::string& source, double now,
                     const StudyRecord* copied = nullptr, const std::string& forked_from = "");

  /// Removes a study with all it has.
  void erase(const StudyRecord& study);

  /// Changes what a study file says beside what matters to the journal.
  void set_source(const StudyRecord& study, const std::string& source);
  void set_holder(const StudyRecord& study, const std::string& holder);

  /// Adds events, which are numbered already, in one transaction.
  void append(const StudyRecord& study, std::span<const Event> events, std::uint64_t pulls);

  /// Calls visit with every event behind the first `after`, in order; only with those of some
  /// kinds, if there are any.
  void for_each_event(const StudyRecord& study, std::uint64_t after,
                      const std::function<void(const Event&)>& visit,
                      std::span<const EventKind> kinds = {});

  [[nodiscard]] std::optional<Snapshot> snapshot(const StudyRecord& study);
  void set_snapshot(const StudyRecord& study, const Snapshot& snapshot);

 private:
  struct Connection;

  std::string path_;
  std::unique_ptr<Connection> connection_;
};

}  // namespace canopy
