#include "canopy/domain.hpp"

namespace canopy {
namespace {

/// Calls `visit` with a default value of each kind.
template <class Visit, class... Kinds>
void visit_each(const std::variant<Kinds...>* /*kinds*/, Visit&& visit) {
  (visit(Kinds{}), ...);
}

constexpr const Domain::Kinds* kAllKinds = nullptr;

}  // namespace

std::vector<std::string_view> Domain::names() {
  std::vector<std::string_view> names;
  visit_each(kAllKinds, [&]<class Kind>(const Kind& /*kind*/) { names.push_back(Kind::kName); });
  return names;
}

std::optional<Domain> Domain::named(std::string_view name) {
  std::optional<Domain> found;
  visit_each(kAllKinds, [&]<class Kind>(Kind kind) {
    if (Kind::kName == name) found = std::move(kind);
  });
  return found;
}

std::string_view Domain::name() const {
  return std::visit([]<class Kind>(const Kind& /*kind*/) { return Kind::kName; }, kind_);
}

std::vector<Violation> Domain::violations() const {
  return std::visit([](const auto& kind) { return kind.violations(); }, kind_);
}

bool Domain::is_ordered() const {
  return std::visit([]<class Kind>(const Kind& /*kind*/) { return Kind::kOrdered; }, kind_);
}

std::array<double, 2> Domain::ends() const {
  return std::visit([](const auto& kind) { return kind.ends(); }, kind_);
}

std::optional<std::uint64_t> Domain::count() const {
  return std::visit([](const auto& kind) { return kind.count(); }, kind_);
}

double Domain::spacing() const {
  return std::visit([](const auto& kind) { return kind.spacing(); }, kind_);
}

std::vector<double> Domain::neighbours(double coordinate) const {
  std::vector<double> found;
  if (spacing() == 0.0) return found;
  for (const double next : {coordinate - spacing(), coordinate + spacing()}) {
    if (contains(next)) found.push_back(next);
  }
  return found;
}

bool Domain::contains(double coordinate) const {
  return std::visit([&](const auto& kind) { return kind.contains(coordinate); }, kind_);
}

Value Domain::value(double coordinate) const {
  return std::visit([&](const auto& kind) { return kind.value(coordinate); }, kind_);
}

std::optional<double> Domain::coordinate(const Value& value) const {
  return std::visit([&](const auto& kind) { return kind.coordinate(value); }, kind_);
}

double Domain::at(double share) const {
  return std::visit([&](const auto& kind) { return kind.at(share); }, kind_);
}

double Domain::share(double coordinate) const {
  return std::visit([&](const auto& kind) { return kind.share(coordinate); }, kind_);
}

std::shared_ptr<const CutAxis> Domain::axis() const {
  return std::visit([](const auto& kind) { return kind.axis(); }, kind_);
}

std::vector<double> Domain::grid(std::uint64_t points) const {
  return std::visit([&](const auto& kind) { return kind.grid(points); }, kind_);
}

std::vector<double> Domain::ticks(std::size_t most) const {
  return std::visit([&](const auto& kind) { return kind.ticks(most); }, kind_);
}

std::string Domain::text(double coordinate) const {
  return std::visit([&](const auto& kind) { return std::string(kind.text(coordinate)); }, kind_);
}

std::string Domain::description() const {
  return std::visit([](const auto& kind) { return kind.description(); }, kind_);
}

bool Domain::measures_like(const Domain& other) const {
  return std::visit(
      [&]<class Kind>(const Kind& kind) {
        const Kind* same = other.as<Kind>();
        return same != nullptr && kind.measures_like(*same);
      },
      kind_);
}

}  // namespace canopy
