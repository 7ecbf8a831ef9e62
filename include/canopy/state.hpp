#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace canopy {

/// Thrown when a saved state cannot be restored: it is damaged, from a newer version, or from
/// another optimizer.
class StateError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The same for a newer version.
class NewerStateError : public StateError {
 public:
  using StateError::StateError;
};

/// Everything an object has to remember, being saved or restored. A class says once, in
/// `transfer(State&)`, what that is and in what order: the same lines save and restore it. Numbers
/// are kept as the shortest text that reads back as the same bits.
class State {
 public:
  /// To save.
  State() = default;
  /// To restore; the text must outlive it. Throws StateError when it is damaged or too new.
  explicit State(std::string_view saved);

  [[nodiscard]] bool restoring() const { return restoring_; }

  /// What was saved, with a version at the start and a checksum at the end.
  [[nodiscard]] std::string text() const;

  /// Throws StateError unless everything was read.
  void end() const;

  /// A word that must be the same when restoring.
  void mark(std::string_view word);

  /// What another object has saved, as it is.
  void nested(std::string& saved);

  /// Throws StateError unless a restored value makes sense.
  static void require(bool makes_sense);

  /// The same, and nothing while saving.
  void require_restored(bool makes_sense) const {
    if (restoring_) require(makes_sense);
  }

  /// Whether these can be numbers of rewards, which formulas need as reals; variances or other
  /// finite numbers that are not negative; any finite numbers.
  [[nodiscard]] static bool are_counts(std::initializer_list<double> values);
  [[nodiscard]] static bool are_sizes(std::initializer_list<double> values);
  [[nodiscard]] static bool are_finite(std::initializer_list<double> values);

  /// Whether these can be rewards, or means of them: no optimizer takes any beyond 1e100.
  [[nodiscard]] static bool are_rewards(std::initializer_list<double> values);

  /// Whether these can be the least and the largest of some numbers, or of none: then they are
  /// infinite.
  [[nodiscard]] static bool are_ends(double least, double largest);

  template <class... Values>
  void operator()(Values&... values) {
    (transfer(values), ...);
  }

 private:
  void transfer(double& value);  // no state has a NaN
  void transfer(std::uint64_t& value);

  template <class Value>
  void transfer(Value& value) {
    if constexpr (requires { value.transfer(*this); }) {
      value.transfer(*this);
    } else {
      static_assert(std::is_integral_v<Value> || std::is_enum_v<Value>);
      auto number = static_cast<std::uint64_t>(value);
      transfer(number);
      value = static_cast<Value>(number);
      require(static_cast<std::uint64_t>(value) == number);
    }
  }

  template <class Value>
  void transfer(std::vector<Value>& list) {
    std::uint64_t size = list.size();
    transfer(size);
    require(size <= remaining() || !restoring_);  // every value takes at least one character
    list.resize(static_cast<std::size_t>(size));
    for (Value& value : list) transfer(value);
  }

  void transfer(std::string& text);

  template <class Key, class Value>
  void transfer(std::map<Key, Value>& map) {
    std::uint64_t size = map.size();
    transfer(size);
    auto next = map.begin();
    if (restoring_) map.clear();
    for (std::uint64_t i = 0; i < size; ++i) {
      Key key = restoring_ ? Key() : next->first;
      transfer(key);
      transfer(restoring_ ? map[key] : (next++)->second);
    }
    require(map.size() == size);
  }

  template <class Value>
  void transfer(std::optional<Value>& maybe) {
    bool there = maybe.has_value();
    transfer(there);
    if (restoring_) maybe = there ? std::optional<Value>(Value{}) : std::nullopt;
    if (there) transfer(*maybe);
  }

  [[nodiscard]] std::size_t remaining() const { return saved_.size(); }
  [[nodiscard]] std::string_view next_word();

  bool restoring_ = false;
  std::string text_;        // when saving
  std::string_view saved_;  // when restoring: what has not been read yet
};

}  // namespace canopy
