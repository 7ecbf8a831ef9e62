// Reads studies in a store while other processes write to them, and defines the exceptions.

#include "canopy/journal.hpp"
#include "canopy/stores.hpp"
#include "canopy/study.hpp"

#include "python/bindings.hpp"
#include "python/contexts.hpp"
#include "python/optimizer.hpp"
#include "python/space.hpp"
#include "python/without_interpreter.hpp"
#include "stores/stored_study.hpp"

#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace canopy::python {
namespace {

// --- errors --------------------------------------------------------------------------------------

nb::handle study_error() {
  static PyObject* const type =
      PyErr_NewException("canopy.StudyError", PyExc_RuntimeError, nullptr);
  return type;
}
nb::handle store_error() {
  static PyObject* const type = PyErr_NewException("canopy.StoreError", PyExc_OSError, nullptr);
  return type;
}

/// The remedy for an error, in terms of Python.
std::string advice(StudyError::Fault fault) {
  using Fault = StudyError::Fault;
  if (fault == Fault::other_commands) return "; fork= starts a new study without its measurements";
  const bool forkable = fault == Fault::differs || fault == Fault::other_revision;
  return forkable ? "; fork= starts a new study with what this one has learnt" : "";
}
std::string advice(StoreError::Fault fault) {
  using Fault = StoreError::Fault;
  const bool elsewhere = fault == Fault::missing || fault == Fault::foreign;
  return elsewhere ? "; give another one with store=" : "";
}

template <class Error>
void raise(nb::handle type, const Error& error) {
  PyErr_SetString(type.ptr(), (error.what() + advice(error.fault())).c_str());
}

void translate(const std::exception_ptr& thrown, void* /*payload*/) {
  try {
    std::rethrow_exception(thrown);
  } catch (const StudyError& error) {
    raise(study_error(), error);
  } catch (const StoreError& error) {
    raise(store_error(), error);
  } catch (const SpecificationError& error) {
    PyErr_SetString(PyExc_ValueError, error.what());
  }
}

// --- looking -------------------------------------------------------------------------------------

/// Returns (name, pulls, events, created, updated, holder, forked_from) for every study.
nb::list list_studies(const std::string& store) {
  const std::vector<StudyRecord> records = [&] {
    const WithoutInterpreter release;
    return open_store(store, Store::Mode::open)->list({});
  }();
  nb::list result;
  for (const StudyRecord& record : records) {
    result.append(nb::make_tuple(record.name, record.pulls, record.events, record.created,
                                 record.updated, record.holder, record.forked_from));
  }
  return result;
}

/// The name of a study's optimizer; none if the study does not exist.
std::optional<std::string> optimizer_name_of(const std::string& store, const std::string& name) {
  const WithoutInterpreter release;
  try {
    const std::optional<StudyRecord> record = open_store(store, Store::Mode::open)->find(name);
    if (!record) return std::nullopt;
    return specification_of(*record).optimizer.name;
  } catch (const StoreError& error) {
    if (error.fault() == StoreError::Fault::missing) return std::nullopt;
    throw;
  }
}

/// Returns (optimizer, warning): a copy of a study's optimizer, and a warning about it, if any.
nb::tuple look_at(const std::string& store, const std::string& name) {
  StudySpecification specification{.space = Space{{"none", Real{}}}};
  LoadedOptimizer loaded;
  {
    const WithoutInterpreter release;
    StoredStudy study(store, name);
    loaded = study.load();
    specification = resolved(std::move(study.specification));
  }
  nb::object space = space_object(specification.space);
  nb::object contexts = contexts_object(specification.contexts);
  PythonOptimizer optimizer(std::move(specification), std::move(space), std::move(contexts),
                            std::move(loaded.optimizer));
  return nb::make_tuple(nb::cast(std::move(optimizer)), loaded.warning);
}

/// An answer in a journal. Ticket 0: observed rewards.
struct ToldRewards {
  Ticket ticket = 0;
  std::vector<double> arm;
  double at = 0.0;
  std::vector<double> rewards;
  std::vector<double> context = {};  // empty without contexts
};

/// Sums become their mean, repeated `count` times.
std::vector<double> one_by_one(const AnyRewards& rewards) {
  if (const auto* list = std::get_if<std::vector<double>>(&rewards)) return *list;
  const Rewards sums = sums_of(rewards);
  std::vector<double> all(sums.count, sums.mean());
  return all;
}

/// Returns none for an event that is not an answer.
std::optional<ToldRewards> answer_in(const Event& event) {
  if (const auto* told = std::get_if<Told>(&event); told != nullptr && !told->is_baseline) {
    return ToldRewards{told->ticket, {}, 0.0, one_by_one(told->rewards)};
  }
  const auto* observed = std::get_if<Observed>(&event);
  if (observed != nullptr && observed->role == Role::search) {
    return ToldRewards{0, {}, 0.0, one_by_one(observed->rewards)};
  }
  return std::nullopt;
}

/// Returns everything that was told or observed, in order: (ticket, arm, time, rewards, context).
nb::list history_of(const std::string& store, const std::string& name) {
  std::vector<ToldRewards> answers;
  const auto [studied, observed] = [&] {
    const WithoutInterpreter release;
    const StoredStudy study(store, name);
    read_journal(*study.store, study.record,
                 [&](const JournalEntry& entry, std::optional<Arm> arm, Context context) {
                   std::optional<ToldRewards> answer = answer_in(entry.event);
                   if (!answer || !arm) return;
                   answer->arm.assign(arm->begin(), arm->end());
                   answer->context.assign(context.begin(), context.end());
                   answer->at = entry.at;
                   answers.push_back(std::move(*answer));
                 });
    return std::pair(study.specification.space, study.specification.contexts);
  }();
  const PythonSpace space(studied);
  const nb::object object = contexts_object(observed);
  const PythonContexts* contexts = contexts_of(object);
  nb::list result;
  for (const ToldRewards& answer : answers) {
    const bool is_seen = contexts != nullptr && !answer.context.empty();
    result.append(nb::make_tuple(
        answer.ticket, space.dictionary(answer.arm), answer.at, nb::cast(answer.rewards),
        is_seen ? nb::object(contexts->dictionary(answer.context)) : nb::none()));
  }
  return result;
}

}  // namespace

void bind_store(nb::module_& module) {
  module.attr("StudyError") = study_error();
  module.attr("StoreError") = store_error();
  nb::register_exception_translator(&translate);
  module.def("studies", &list_studies, nb::arg("store"));
  module.def("optimizer_name_of", &optimizer_name_of, nb::arg("store"), nb::arg("name"));
  module.def("look_at", &look_at, nb::arg("store"), nb::arg("name"));
  module.def("history_of", &history_of, nb::arg("store"), nb::arg("name"));
}

}  // namespace canopy::python
