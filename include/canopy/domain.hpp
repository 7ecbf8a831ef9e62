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

/// The operations that a kind of parameter must have, documented at Domain, and a list of its
/// fields (`visit_fields`, see Field), which defines its form in files, JSON and Python.
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

/// A list of kinds, each checked against ParameterKind.
template <ParameterKind... Kinds>
using OneOfKinds = std::variant<Kinds...>;

/// The set of values of a parameter, of any kind.
///
/// A value is one number in an arm, its coordinate: a real is its value, an integer its value as a
/// double, a choice the index in its list. Everything that depends on the kind is an operation
/// here. If a domain has violations, only `violations` and its fields may be used.
class Domain {
 public:
  /// Every kind of parameter. To add a kind, write its pair of files and name it here.
  using Kinds = OneOfKinds<Real, Integer, Choice>;

  Domain() = default;

  template <class Kind>
  requires detail::kIsAmong<Kind, Kinds>
  // NOLINTNEXTLINE(google-explicit-constructor): a kind is a domain
  Domain(Kind kind) : kind_(std::move(kind)) {}

  /// The names of all kinds, as in files.
  [[nodiscard]] static std::vector<std::string_view> names();

  /// A domain of that kind whose fields have their defaults; none if there is no such kind.
  [[nodiscard]] static std::optional<Domain> named(std::string_view name);

  /// The domain as that kind; null if it is of another kind.
  template <class Kind>
  [[nodiscard]] const Kind* as() const {
    return std::get_if<Kind>(&kind_);
  }

  /// The name of its kind.
  [[nodiscard]] std::string_view name() const;

  /// All violations of its fields' constraints.
  [[nodiscard]] std::vector<Violation> violations() const;

  /// Whether close values behave similarly. Otherwise their order is only that of a list.
  [[nodiscard]] bool is_ordered() const;

  /// The first and the last coordinate.
  [[nodiscard]] std::array<double, 2> ends() const;

  /// The number of values; none if it is continuous.
  [[nodiscard]] std::optional<std::uint64_t> count() const;

  /// The distance between neighbouring values; 0 if the domain is continuous.
  [[nodiscard]] double spacing() const;

  /// The coordinates of the values next to `coordinate`: none, one or two.
  [[nodiscard]] std::vector<double> neighbours(double coordinate) const;

  [[nodiscard]] bool contains(double coordinate) const;

  /// A coordinate in the user's form: a double, an integer, or the chosen text.
  [[nodiscard]] Value value(double coordinate) const;

  /// The coordinate of a value; none if the value is not in the domain.
  [[nodiscard]] std::optional<double> coordinate(const Value& value) const;

  /// The coordinate at a point of [0, 1]. All values have equal parts of [0, 1]; on a log scale,
  /// parts are equal in log units, and an integer i has a part in proportion to log((i + 1) / i).
  [[nodiscard]] double at(double share) const;

  /// The inverse of `at`, up to rounding: the middle if several fractions have this coordinate.
  [[nodiscard]] double share(double coordinate) const;

  /// How the domain is cut.
  [[nodiscard]] std::shared_ptr<const CutAxis> axis() const;

  /// At most `points` different coordinates, evenly spaced.
  [[nodiscard]] std::vector<double> grid(std::uint64_t points) const;

  /// The coordinates that label an axis: round numbers where possible, at most `most` of them,
  /// which is at least 3.
  [[nodiscard]] std::vector<double> ticks(std::size_t most) const;

  /// A coordinate as text. Numbers are rounded to about a hundred-thousandth of the range.
  [[nodiscard]] std::string text(double coordinate) const;

  /// The valid values, for messages: `a number from 0 to 1 on a log scale`.
  [[nodiscard]] std::string description() const;

  /// Whether coordinates that are valid in both domains mean the same value.
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
