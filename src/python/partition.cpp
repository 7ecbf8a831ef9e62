#include "python/partition.hpp"

#include "canopy/errors.hpp"

#include "python/options.hpp"
#include "python/without_interpreter.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <utility>

namespace canopy::python {
namespace {

nb::tuple tuple_of(std::span<const double> cell) {
  nb::list numbers;
  for (const double number : cell) numbers.append(number);
  return nb::tuple(numbers);
}

std::uint32_t arity_from(nb::handle partition) {
  const nb::object given = nb::getattr(partition, "arity", nb::int_(2));
  const auto number = number_from(given);
  const double most = PythonPartition::kMostParts;
  if (number && *number >= 2.0 && *number <= most && std::floor(*number) == *number) {
    return static_cast<std::uint32_t>(*number);
  }
  throw ConfigurationError(
      {{"partition.arity", shown(given),
        "must be a whole number from 2 to " + std::to_string(PythonPartition::kMostParts)}});
}

[[noreturn]] void refuse_answer(const char* method, nb::handle answer,
                                const std::string& expected) {
  throw std::invalid_argument("partition." + std::string(method) + " returned " + shown(answer) +
                              ": must be " + expected);
}

}  // namespace

PythonPartition::PythonPartition(nb::handle partition, const PythonSpace& space)
    : partition_(partition), space_(space), arity_(arity_from(partition)) {
  root_ = cell_from("root", partition_.attr("root")());
  leaves_.push_back({0, root_});
  prepare();
}

PythonPartition::Cell PythonPartition::cell_from(const char* method, nb::handle given) const {
  Cell cell;
  if (PyTuple_Check(given.ptr())) {
    for (const nb::handle each : nb::borrow<nb::tuple>(given)) {
      const auto number = number_from(each);
      if (!number || std::isnan(*number)) refuse_answer(method, given, "tuples of numbers");
      cell.push_back(*number);
    }
  }
  if (cell.empty()) refuse_answer(method, given, "tuples of numbers");
  if (!root_.empty() && cell.size() != root_.size()) {
    refuse_answer(method, given, "tuples of " + std::to_string(root_.size()) + " numbers");
  }
  return cell;
}

std::vector<PythonPartition::Cell> PythonPartition::parts_from(nb::handle answer) const {
  const std::string expected = std::to_string(arity_) + " cells, or None";
  if (!PyList_Check(answer.ptr()) && !PyTuple_Check(answer.ptr())) {
    refuse_answer("split", answer, expected);
  }
  std::vector<Cell> parts;
  for (const nb::handle each : nb::iter(answer)) parts.push_back(cell_from("split", each));
  if (parts.size() != arity_) refuse_answer("split", answer, expected);
  return parts;
}

const std::vector<double>& PythonPartition::arm_of(const Cell& cell) const {
  if (const auto known = arms_.find(cell); known != arms_.end()) return known->second;
  const nb::object answer = partition_.attr("arm")(tuple_of(cell));
  if (!PyDict_Check(answer.ptr())) refuse_answer("arm", answer, "a dictionary of parameters");
  return arms_[cell] = space_.coordinates(nb::borrow<nb::dict>(answer));
}

const std::optional<std::vector<PythonPartition::Cell>>& PythonPartition::parts_of(
    const Place& place) const {
  if (const auto known = parts_.find(place); known != parts_.end()) return known->second;
  const nb::object answer = partition_.attr("split")(tuple_of(place.cell), place.depth);
  std::optional<std::vector<Cell>> parts;
  if (!answer.is_none()) {
    parts = parts_from(answer);
    for (const Cell& each : *parts) (void)arm_of(each);
  }
  return parts_[place] = std::move(parts);
}

void PythonPartition::prepare() const {
  for (; !leaves_.empty(); leaves_.pop_back()) {
    const Place place = leaves_.back();  // a copy, because calling Python may change leaves_
    (void)arm_of(place.cell);
    (void)parts_of(place);
  }
}

void PythonPartition::enter() const {
  while (is_taken_ != 0) {
    if (taken_in_ != getpid()) {
      throw std::runtime_error(
          "the optimizer was in use by another thread when this process was forked");
    }
    if (taken_by_ == std::this_thread::get_id()) {
      throw std::runtime_error("the optimizer is in use: it cannot be called by its own partition");
    }
    const WithoutInterpreter released;
    is_taken_.wait(1);
  }
  is_taken_ = 1;
  taken_by_ = std::this_thread::get_id();
  taken_in_ = getpid();
}

void PythonPartition::leave() const {
  is_taken_ = 0;
  is_taken_.notify_one();
}

void PythonPartition::root(std::span<double> cell) const {
  std::copy(root_.begin(), root_.end(), cell.begin());
}

bool PythonPartition::split(std::span<const double> cell, std::uint32_t depth,
                            std::span<double> parts) const {
  const auto& found = parts_of({depth, {cell.begin(), cell.end()}});
  if (!found) return false;
  auto to = parts.begin();
  for (const Cell& each : *found) {
    to = std::copy(each.begin(), each.end(), to);
    leaves_.push_back({depth + 1, each});
  }
  return true;
}

void PythonPartition::arm(std::span<const double> cell, std::span<double> arm) const {
  const std::vector<double>& found = arm_of({cell.begin(), cell.end()});
  std::copy(found.begin(), found.end(), arm.begin());
}

}  // namespace canopy::python
