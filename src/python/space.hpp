#pragma once

#include "canopy/space.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>

namespace canopy::python {

namespace nb = nanobind;

/// A space with the Python names of its parameters and the Python objects of its choices.
class PythonSpace {
 public:
  /// `choices` has an item for each parameter: the objects for the coordinates 0, 1, ..., or
  /// nothing.
  PythonSpace(Space space, const nb::list& choices);

  [[nodiscard]] const Space& space() const { return space_; }

  /// A space whose choices are strings.
  explicit PythonSpace(Space space);

  /// Converts an arm to {'x': 0.5, 'mode': 'fast'}.
  [[nodiscard]] nb::dict dictionary(Arm arm) const;

  /// Converts such a dictionary to numbers. Throws ValueError for unknown names, and for values
  /// that are not in the space.
  [[nodiscard]] std::vector<double> coordinates(const nb::dict& arm) const;

  [[nodiscard]] const nb::object& name(std::size_t index) const { return names_[index]; }

  /// For Python's garbage collector: visits the objects of choices, which may refer back to an
  /// optimizer with this space.
  [[nodiscard]] int visit_choices(visitproc visit, void* arg) const;
  /// Releases them, which breaks all such cycles.
  void forget_choices();

  /// Converts one coordinate to its value.
  [[nodiscard]] nb::object value(double coordinate, std::size_t index) const;

  /// Converts a value to its coordinate. Throws ValueError.
  [[nodiscard]] double coordinate(nb::handle value, std::size_t index) const;

  /// The index of a parameter. Throws KeyError.
  [[nodiscard]] std::size_t index_of(const std::string& name) const;

 protected:
  /// Words for messages about a value.
  struct Words {
    std::string prefix;  ///< put before a name
    std::string a_name;  ///< what a name denotes: `a parameter of the space`
    std::string all;     ///< introduces all names: `which has`
  };

  /// The coordinate of a dictionary's value for the parameter of that index.
  using Read = std::function<double(nb::handle value, std::size_t index)>;

  /// Converts a dictionary to one number for each name. Throws ValueError for missing and for
  /// unknown names.
  [[nodiscard]] std::vector<double> read_all(const nb::dict& given, const Words& words,
                                             const Read& read) const;

  /// The coordinate of such a value, if it is valid.
  [[nodiscard]] std::optional<double> coordinate_or_none(nb::handle value, std::size_t index) const;

  /// Describes valid values, for messages.
  [[nodiscard]] std::string must_be(std::size_t index) const;

 private:
  /// An error about the first unknown name; empty if there is none.
  [[nodiscard]] std::string unknown_name_in(const nb::dict& given, const Words& words) const;

  Space space_;
  std::vector<nb::object> names_;
  std::vector<std::vector<nb::object>> choices_;  // empty: values of the domain
};

/// Converts a parameter from Python: (name, kind, {field: value}). Messages about its fields begin
/// with `what`: `space.x.low`. Throws ValueError.
[[nodiscard]] Parameter parameter_from(const nb::tuple& given, const std::string& what);

/// The fields of a kind for Python.
[[nodiscard]] nb::dict fields_of(Domain domain);

/// The parameters of a space for the Python class Space: (name, kind, {field: value}).
[[nodiscard]] nb::list parameter_list(const Space& space);

/// Makes a Python Space with these parameters.
[[nodiscard]] nb::object space_object(const Space& space);

}  // namespace canopy::python
