#pragma once

#include "canopy/cut_axis.hpp"
#include "canopy/errors.hpp"
#include "canopy/options.hpp"
#include "canopy/value.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace canopy {

/// One of a list of values, in the order given. Neighbours in the list share cells, so put similar
/// values side by side.
struct Choice {
  static constexpr std::string_view kName = "choice";
  static constexpr bool kOrdered = false;

  std::vector<std::string> choices;

  // The operations of every kind: see Domain.
  [[nodiscard]] std::vector<Violation> violations() const;
  [[nodiscard]] std::array<double, 2> ends() const;
  [[nodiscard]] std::optional<std::uint64_t> count() const { return choices.size(); }
  [[nodiscard]] static double spacing() { return 1.0; }
  [[nodiscard]] bool contains(double coordinate) const;
  [[nodiscard]] Value value(double coordinate) const { return text(coordinate); }
  [[nodiscard]] std::optional<double> coordinate(const Value& value) const;
  [[nodiscard]] double at(double share) const;
  [[nodiscard]] double share(double coordinate) const;
  [[nodiscard]] std::shared_ptr<const CutAxis> axis() const;
  [[nodiscard]] std::vector<double> grid(std::uint64_t points) const;
  [[nodiscard]] std::vector<double> ticks(std::size_t most) const;
  [[nodiscard]] const std::string& text(double coordinate) const;
  [[nodiscard]] std::string description() const;
  [[nodiscard]] bool measures_like(const Choice& other) const { return *this == other; }

  friend bool operator==(const Choice&, const Choice&) = default;
};

template <class Visit>
void visit_fields(Choice& choice, Visit&& visit) {
  visit(Field{.name = "choices",
              .help = "the values, with similar ones side by side",
              .required = true},
        choice.choices);
}

}  // namespace canopy
