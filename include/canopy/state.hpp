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

/// Thrown when a saved state cannot be restored because it is damaged, from a newer version, or
/// from another optimizer.
class StateError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Thrown when a saved state is from a newer version.
class NewerStateError : public StateError {
 public:
  using StateError::StateError;
};

/// Saves or restores an object's state. A class lists its members once, in `transfer(State&)`; the
/// same code saves and restores them. Numbers are stored as the shortest text that reads back as
/// the same bits.
class State {
 public:
  /// For saving.
  State() = default;
  /// For restoring; the text must outlive it. Throws StateError when it is damaged or too new.
  explicit State(std::string_view saved);

  [[nodiscard]] bool restoring() const { return restoring_; }

  /// The saved state, with a version at the start and a checksum at the end.
  [[nodiscard]] std::string text() const;

  /// Throws StateError unless everything has been read.
  void end() const;

  /// Writes a word, or checks when restoring that it is the same.
  void mark(std::string_view word);

  /// Saves or restores the saved state of another object, unchanged.
  void nested(std::string& saved);

  /// Throws StateError if a restored value is invalid.
  static void require(bool makes_sense);

  /// `require` when restoring; does nothing when saving.
  void require_restored(bool makes_sense) const {
    if (restoring_) require(makes_sense);
  }

  /// Whether the values are valid numbers of rewards (stored as doubles); finite and not negative,
  /// like variances; finite.
  [[nodiscard]] static bool are_counts(std::initializer_list<double> values);
  [[nodiscard]] static bool are_sizes(std::initializer_list<double> values);
  [[nodiscard]] static bool are_finite(std::initializer_list<double> values);

  /// Whether the values are valid rewards or means of rewards: optimizers reject any beyond 1e100.
  [[nodiscard]] static bool are_rewards(std::initializer_list<double> values);

  /// Whether these can be the least and the largest of some numbers; both infinite: of no numbers.
  [[nodiscard]] static bool are_ends(double least, double largest);

  template <class... Values>
  void operator()(Values&... values) {
    (transfer(values), ...);
  }

 private:
  void transfer(double& value);  // NaN is never saved
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
  std::string_view saved_;  // when restoring: the part not read yet
};

}  // namespace canopy
