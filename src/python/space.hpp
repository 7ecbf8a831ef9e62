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

/// A space with what Python calls things: the names of its parameters, and the objects that its
/// choices stand for.
class PythonSpace {
 public:
  /// `choices` has an item a parameter: the objects that the coordinates 0, 1, ... stand for, or
  /// nothing.
  PythonSpace(Space space, const nb::list& choices);

  [[nodiscard]] const Space& space() const { return space_; }

  /// A space whose choices are their own names.
  explicit PythonSpace(Space space);

  /// {'x': 0.5, 'mode': 'fast'}
  [[nodiscard]] nb::dict dictionary(Arm arm) const;

  /// The numbers of such a dictionary. Throws ValueError for other names, and for values that are
  /// not in the space.
  [[nodiscard]] std::vector<double> coordinates(const nb::dict& arm) const;

  [[nodiscard]] const nb::object& name(std::size_t index) const { return names_[index]; }

  /// For Python's collector of garbage: visits the objects of choices, which may lead back to what
  /// has this space, an optimizer say.
  [[nodiscard]] int visit_choices(visitproc visit, void* arg) const;
  /// Lets go of them, which breaks every such cycle.
  void forget_choices();

  /// One coordinate, as its user knows it.
  [[nodiscard]] nb::object value(double coordinate, std::size_t index) const;

  /// The coordinate of such a value. Throws ValueError.
  [[nodiscard]] double coordinate(nb::handle value, std::size_t index) const;

  /// The place of a parameter. Throws KeyError.
  [[nodiscard]] std::size_t index_of(const std::string& name) const;

 protected:
  /// How messages name a value, and what has the names.
  struct Words {
    std::string prefix;  ///< before a name
    std::string a_name;  ///< what a name is of: `a parameter of the space`
    std::string all;     ///< what has these: `which has`
  };

  /// The coordinate of a value of a dictionary, by its place.
  using Read = std::function<double(nb::handle value, std::size_t index)>;

  /// One number for each name. Throws ValueError for names that are missing, and for others.
  [[nodiscard]] std::vector<double> read_all(const nb::dict& given, const Words& words,
                                             const Read& read) const;

  /// The coordinate of such a value; none if it has none.
  [[nodiscard]] std::optional<double> coordinate_or_none(nb::handle value, std::size_t index) const;

  /// What such a value must be, for messages.
  [[nodiscard]] std::string must_be(std::size_t index) const;

 private:
  /// What is wrong with the first name that nothing has; empty if there is none.
  [[nodiscard]] std::string unknown_name_in(const nb::dict& given, const Words& words) const;

  Space space_;
  std::vector<nb::object> names_;
  std::vector<std::vector<nb::object>> choices_;  // none: the values of the domain are it
};

/// A parameter as Python gives it: (name, kind, {field: value}). Messages about its fields begin
/// with `what`: `space.x.low`. Throws ValueError.
[[nodiscard]] Parameter parameter_from(const nb::tuple& given, const std::string& what);

/// The fields of a kind, as Python has them.
[[nodiscard]] nb::dict fields_of(Domain domain);

/// The parameters of a space, as the class Space of Python takes them: (name, kind, {field:
/// value}).
[[nodiscard]] nb::list parameter_list(const Space& space);

/// A Space of Python with these parameters.
[[nodiscard]] nb::object space_object(const Space& space);

}  // namespace canopy::python
