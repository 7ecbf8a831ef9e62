#pragma once

#include "canopy/cut_axis.hpp"
#include "canopy/domains.hpp"
#include "canopy/errors.hpp"
#include "canopy/options.hpp"
#include "canopy/value.hpp"

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace canopy {

namespace detail {

template <class Kind, class Kinds>
inline constexpr bool kIsAmong = false;
template <class Kind, class... Kinds>
inline constexpr bool kIsAmong<Kind, std::variant<Kinds...>> = (std::same_as<Kind, Kinds> || ...);

}  // namespace detail

/// What a kind of parameter must have: these operations, which Domain explains, and a list of its
/// fields (`visit_fields`, see Field), from which its form in files, JSON and Python follows.
template <class Kind>
concept ParameterKind = std::default_initializable<Kind> && std::equality_comparable<Kind> &&
    requires(Kind& kind) {
  visit_fields(kind, detail::AnyVisit{});
} && requires(const Kind& kind, double number, const Value& value, std::uint64_t points) {
  { Kind::kName } -> std::convertible_to<std::string_view>;
  { Kind::kOrdered } -> std::convertible_to<bool>;
  { kind.violations() } -> std::same_as<std::vector<Violation>>;
  { kind.ends() } -> std::same_as<std::array<double, 2>>;
  { kind.count() } -> std::same_as<std::optional<std::uint64_t>>;
  { kind.spacing() } -> std::same_as<double>;
  { kind.contains(number) } -> std::same_as<bool>;
  { kind.value(number) } -> std::same_as<Value>;
  { kind.coordinate(value) } -> std::same_as<std::optional<double>>;
  { kind.at(number) } -> std::same_as<double>;
  { kind.share(number) } -> std::same_as<double>;
  { kind.axis() } -> std::same_as<std::shared_ptr<const CutAxis>>;
  { kind.grid(points) } -> std::same_as<std::vector<double>>;
  { kind.ticks(points) } -> std::same_as<std::vector<double>>;
  { kind.text(number) } -> std::convertible_to<std::string>;
  { kind.description() } -> std::same_as<std::string>;
  { kind.measures_like(kind) } -> std::same_as<bool>;
};

/// Kinds that have all of it.
template <ParameterKind... Kinds>
using OneOfKinds = std::variant<Kinds...>;

/// The values that a parameter may have, of any kind.
///
/// A value is one number in an arm, its coordinate: a real is its value, an integer its value as a
/// double, a choice the index in its list. Whatever depends on the kind is an operation here; no
/// other code asks for the kind. Only `violations` and the fields may be used of a domain that has
/// violations.
class Domain {
 public:
  /// Every kind that there is: a new one is its file pair, and its name here.
  using Kinds = OneOfKinds<Real, Integer, Choice>;

  Domain() = default;

  template <class Kind>
  requires detail::kIsAmong<Kind, Kinds>
  // NOLINTNEXTLINE(google-explicit-constructor): a kind is a domain
  Domain(Kind kind) : kind_(std::move(kind)) {}

  /// The names of all kinds, as files have them.
  [[nodiscard]] static std::vector<std::string_view> names();

  /// A domain of that kind whose fields have their defaults; none if there is no such kind.
  [[nodiscard]] static std::optional<Domain> named(std::string_view name);

  /// The domain as one of that kind; null if it is of another.
  template <class Kind>
  [[nodiscard]] const Kind* as() const {
    return std::get_if<Kind>(&kind_);
  }

  /// The name of its kind.
  [[nodiscard]] std::string_view name() const;

  /// Everything that is wrong with its fields.
  [[nodiscard]] std::vector<Violation> violations() const;

  /// Whether values that are close together are alike. Otherwise their order is only that of a
  /// list.
  [[nodiscard]] bool is_ordered() const;

  /// The first and the last coordinate.
  [[nodiscard]] std::array<double, 2> ends() const;

  /// The number of values; none if there are values between any two.
  [[nodiscard]] std::optional<std::uint64_t> count() const;

  /// The distance of neighbours, which is the same everywhere; 0 if there are values between any
  /// two.
  [[nodiscard]] double spacing() const;

  /// The coordinates of the values next to one: none, one or two.
  [[nodiscard]] std::vector<double> neighbours(double coordinate) const;

  [[nodiscard]] bool contains(double coordinate) const;

  /// A coordinate as the user knows it: a double, a whole number, or the chosen text.
  [[nodiscard]] Value value(double coordinate) const;

  /// The coordinate of a value; none if it is not one of the domain.
  [[nodiscard]] std::optional<double> coordinate(const Value& value) const;

  /// The coordinate at a point of [0, 1]. Values have equal parts of it, on a log scale in log
  /// units; there, an integer i has a part in proportion to log((i + 1) / i).
  [[nodiscard]] double at(double share) const;

  /// A point of [0, 1] that `at` takes to this coordinate, up to rounding: the middle of them if
  /// there are several.
  [[nodiscard]] double share(double coordinate) const;

  /// How it is cut.
  [[nodiscard]] std::shared_ptr<const CutAxis> axis() const;

  /// Coordinates that are spread equally, at most `points` of them, each once.
  [[nodiscard]] std::vector<double> grid(std::uint64_t points) const;

  /// The coordinates that label an axis: round numbers where there are any, at most `most` of them,
  /// which is at least 3.
  [[nodiscard]] std::vector<double> ticks(std::size_t most) const;

  /// A coordinate for people. Numbers are rounded to about a hundred-thousandth of the range.
  [[nodiscard]] std::string text(double coordinate) const;

  /// What a value is, for messages: `a number from 0 to 1 on a log scale`.
  [[nodiscard]] std::string description() const;

  /// Whether a coordinate that is in both means the same in another domain.
  [[nodiscard]] bool measures_like(const Domain& other) const;

  friend bool operator==(const Domain&, const Domain&) = default;

  /// Its fields are those of its kind.
  template <class Visit>
  friend void visit_fields(Domain& domain, Visit&& visit) {
    std::visit([&](auto& kind) { visit_fields(kind, visit); }, domain.kind_);
  }

 private:
  Kinds kind_;
};

}  // namespace canopy
