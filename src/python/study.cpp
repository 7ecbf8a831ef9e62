#include "studies/study.hpp"

#include "canopy/state.hpp"

#include "python/bindings.hpp"
#include "python/options.hpp"
#include "python/protocol.hpp"
#include "python/without_interpreter.hpp"
#include "studies/specification.hpp"
#include "studies/store.hpp"
#include "studies/stored_study.hpp"

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unistd.h>
#include <utility>
#include <variant>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace canopy::python {
namespace {

/// What a study is about, for Python to make an optimizer of.
nb::dict specification_dictionary(const StudySpecification& study) {
  nb::dict result;
  result["parameters"] = parameter_list(study.space);
  result["optimizer"] = nb::str(name_of_alternative<OptimizerEntry>(study.optimizer).data());
  result["options"] = std::visit(
      [&](const auto& options) {
        return options_dictionary(filled_in(options, study.space.dimension()));
      },
      study.optimizer);
  result["partition"] = nb::str(name_of(study.partition).data());
  result["direction"] = nb::str(name_of(study.objective.direction).data());
  result["reward_range"] =
      nb::make_tuple(study.objective.reward_range[0], study.objective.reward_range[1]);
  return result;
}

/// A study that is open here. Work on it happens without the interpreter's lock, one thread at a
/// time, and is on the disk when a call returns.
class PythonStudy {
 public:
  static constexpr bool kHoldsInterpreter = false;

  /// Opens what is in the store, or what `source` says. `make_space` makes a Space of Python out of
  /// parameters.
  PythonStudy(const std::string& store, const std::string& name,
              const std::optional<std::string>& source, const std::string& said_by,
              const std::optional<std::string>& fork, const nb::object& make_space)
      : name_(fork.value_or(name)) {
    open_ = open(store, name, source, said_by, fork);
    const StudySpecification& specification = open_->study.specification();
    partition_.emplace(specification.space, specification.partition);
    space_object_ = make_space(parameter_list(specification.space));
    space_ = nb::cast<const PythonSpace*>(space_object_);
  }

  ~PythonStudy() {
    if (process_ != getpid()) (void)open_.release();  // it is the parent's to close
  }
  PythonStudy(const PythonStudy&) = delete;
  PythonStudy& operator=(const PythonStudy&) = delete;

  [[nodiscard]] const nb::object& space_object() const { return space_object_; }
  [[nodiscard]] const PythonSpace& space() const { return *space_; }
  [[nodiscard]] const BoxPartition& partition() const { return *partition_; }
  [[nodiscard]] const std::string& name() const { return name_; }

  /// Calls action(study), one thread at a time.
  template <class Action>
  auto locked(Action&& action) {
    const WithoutInterpreter release;
    refuse_after_fork();
    const std::lock_guard lock(mutex_);
    if (!open_) throw StudyError("the study " + name_ + " is closed");
    return action(open_->study);
  }

  template <class Action>
  auto with(Action&& action) {
    return locked([&](Study& study) {
      // First as well: that reads it anew, if the store could not be read for a while.
      if (batches_ == 0) study.commit();
      auto result = action(study);
      if (batches_ == 0) study.commit();
      return result;
    });
  }

  [[nodiscard]] nb::dict specification() {
    return specification_dictionary(locked([](Study& study) { return study.specification(); }));
  }

  void begin_batch() {
    locked([&](Study& /*study*/) { return ++batches_; });
  }
  void end_batch() {
    locked([&](Study& study) {
      if (--batches_ == 0) study.commit();
      return 0;
    });
  }

  [[nodiscard]] bool is_open() {
    if (process_ != getpid()) return false;
    const WithoutInterpreter release;
    const std::lock_guard lock(mutex_);
    return open_ != nullptr;
  }

  void close() {
    if (process_ != getpid()) return;  // it is the parent's to close
    const WithoutInterpreter release;
    const std::lock_guard lock(mutex_);
    const std::unique_ptr<Open> closing = std::move(open_);
    if (!closing) return;
    closing->study.commit();
    closing->study.snapshot();
  }

 private:
  struct Open {
    Open(const std::string& path, Store::Mode mode, const std::string& name,
         const std::optional<std::string>& source, const std::string& said_by,
         const std::optional<std::string>& fork)
        : store(path, mode), study(opened(store, name, source, said_by, fork)) {}

    static Study opened(Store& store, const std::string& name,
                        const std::optional<std::string>& source, const std::string& said_by,
                        const std::optional<std::string>& fork) {
      if (source) {
        return Study::open(store, {parse_study(*source, said_by), *source}, {name, fork});
      }
      if (!fork) return Study::reopen(store, name);
      const StudyRecord record = find_study(store, name);
      return Study::open(store, {parse_study(record.source, name), record.source}, {name, fork});
    }

    Store store;
    Study study;
  };

  void refuse_after_fork() const {
    if (process_ == getpid()) return;
    throw StudyError("the study " + name_ +
                     " was opened before this process was forked, and cannot be used here");
  }

  static std::unique_ptr<Open> open(const std::string& path, const std::string& name,
                                    const std::optional<std::string>& source,
                                    const std::string& said_by,
                                    const std::optional<std::string>& fork) {
    const WithoutInterpreter release;
    return std::make_unique<Open>(path, source ? Store::Mode::create : Store::Mode::open, name,
                                  source, said_by, fork);
  }

  std::string name_;
  pid_t process_ = getpid();
  std::mutex mutex_;
  std::unique_ptr<Open> open_;
  std::optional<BoxPartition> partition_;
  nb::object space_object_;
  const PythonSpace* space_ = nullptr;
  int batches_ = 0;
};

nb::handle study_error() {
  static PyObject* const type =
      PyErr_NewException("canopy.StudyError", PyExc_RuntimeError, nullptr);
  return type;
}
nb::handle store_error() {
  static PyObject* const type = PyErr_NewException("canopy.StoreError", PyExc_OSError, nullptr);
  return type;
}

/// A message that names arguments of ours where the tool has flags.
std::string in_words_of_python(std::string message) {
  for (const auto& [flag, argument] :
       {std::pair<std::string_view, std::string_view>{"--store FILE", "store="},
        std::pair<std::string_view, std::string_view>{"--fork NEW", "fork="}}) {
    const std::size_t place = message.find(flag);
    if (place != std::string::npos) message.replace(place, flag.size(), argument);
  }
  return message;
}

nb::tuple record_tuple(const StudyRecord& record) {
  return nb::make_tuple(record.name, record.pulls, record.events, record.created, record.updated,
                        record.holder, record.forked_from);
}

/// A study in its store, opened without the interpreter's lock.
std::unique_ptr<StoredStudy> stored(const std::string& path, const std::string& name) {
  const WithoutInterpreter release;
  return std::make_unique<StoredStudy>(path, name);
}

/// A study as it is in the store: its specification and the state of its optimizer.
nb::tuple look_at(const std::string& path, const std::string& name) {
  const auto study = stored(path, name);
  std::string saved;
  {
    const WithoutInterpreter release;
    saved = study->load()->save();
  }
  return nb::make_tuple(specification_dictionary(study->specification),
                        nb::bytes(saved.data(), saved.size()));
}

/// One answer in a journal.
struct Answer {
  Ticket ticket;
  std::vector<double> arm;
  double at;
  std::vector<double> rewards;
};

/// Everything that was told, in order: (ticket, arm, time, rewards). Sums become so many times
/// their mean.
nb::list history_of(const std::string& path, const std::string& name) {
  const auto study = stored(path, name);
  std::vector<Answer> answers;
  {
    const WithoutInterpreter release;
    const auto visit = [&](const Event& event, std::optional<Arm> arm) {
      Answer answer{event.ticket, {}, event.at, {}};
      if (event.kind == EventKind::tell) {
        answer.rewards = {event.value};
      } else if (event.kind == EventKind::tell_list) {
        answer.rewards = rewards_in(event);
      } else if (event.kind == EventKind::tell_sums) {
        answer.rewards.assign(event.count, event.value / static_cast<double>(event.count));
      } else {
        return;
      }
      if (arm) answer.arm.assign(arm->begin(), arm->end());
      answers.push_back(std::move(answer));
    };
    replay(study->store, study->record, study->specification, visit);
  }
  const PythonSpace space(study->specification.space);
  nb::list result;
  for (const Answer& answer : answers) {
    result.append(nb::make_tuple(answer.ticket, space.dictionary(answer.arm), answer.at,
                                 nb::cast(answer.rewards)));
  }
  return result;
}

}  // namespace

void bind_study(nb::module_& module) {
  module.attr("StudyError") = study_error();
  module.attr("StoreError") = store_error();
  nb::register_exception_translator([](const std::exception_ptr& thrown, void* /*payload*/) {
    try {
      std::rethrow_exception(thrown);
    } catch (const StudyError& error) {
      PyErr_SetString(study_error().ptr(), in_words_of_python(error.what()).c_str());
    } catch (const StoreError& error) {
      PyErr_SetString(store_error().ptr(), in_words_of_python(error.what()).c_str());
    } catch (const SpecificationError& error) {
      PyErr_SetString(PyExc_ValueError, error.what());
    }
  });

  nb::class_<PythonStudy> bound(module, "Study");
  bound.def(nb::init<const std::string&, const std::string&, const std::optional<std::string>&,
                     const std::string&, const std::optional<std::string>&, const nb::object&>(),
            nb::arg("store"), nb::arg("name"), nb::arg("source").none(), nb::arg("said_by"),
            nb::arg("fork").none(), nb::arg("make_space"));
  bind_protocol(bound);
  bound.def("_specification", &PythonStudy::specification)
      .def("_begin_batch", &PythonStudy::begin_batch)
      .def("_end_batch", &PythonStudy::end_batch)
      .def("close", &PythonStudy::close)
      .def_prop_ro("is_open", &PythonStudy::is_open)
      .def_prop_ro("name", &PythonStudy::name)
      .def_prop_ro("space", &PythonStudy::space_object);

  module.def(
      "studies",
      [](const std::string& path) {
        std::vector<StudyRecord> records;
        {
          const WithoutInterpreter release;
          records = Store(path, Store::Mode::open).list();
        }
        nb::list result;
        for (const StudyRecord& record : records) result.append(record_tuple(record));
        return result;
      },
      nb::arg("store"));
  module.def("look_at", &look_at, nb::arg("store"), nb::arg("name"));
  module.def("history_of", &history_of, nb::arg("store"), nb::arg("name"));
}

}  // namespace canopy::python
