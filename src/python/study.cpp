#include "canopy/stores.hpp"
#include "canopy/study_session.hpp"

#include "python/bindings.hpp"
#include "python/optimizer.hpp"
#include "python/protocol.hpp"
#include "python/without_interpreter.hpp"
#include "tuning/tuner_state.hpp"

#include <memory>
#include <optional>
#include <string>
#include <unistd.h>
#include <utility>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

namespace canopy::python {
namespace {

/// Opens a study, with the given specification or with the stored one.
std::unique_ptr<StudySession> opened(std::unique_ptr<Store> store, const OpenOptions& which,
                                     const std::optional<StudySpecification>& specification) {
  const auto open = [&](Store& in) {
    return specification ? Study::open(in, *specification, which) : Study::reopen(in, which);
  };
  return std::make_unique<StudySession>(std::move(store), open);
}

/// An open study. Calls work without the interpreter's lock, and return after their changes are on
/// disk.
class PythonStudy final : public Protocol {
 public:
  PythonStudy(std::string name, std::string store_name, StudySpecification specification,
              nb::object space, nb::object contexts, std::unique_ptr<StudySession> session)
      : Protocol(std::move(specification), std::move(space), std::move(contexts)),
        name_(std::move(name)),
        store_name_(std::move(store_name)),
        session_(std::move(session)) {}

  ~PythonStudy() override {
    if (!is_ours()) (void)session_.release();  // the parent process closes it
  }
  PythonStudy(const PythonStudy&) = delete;
  PythonStudy& operator=(const PythonStudy&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::string& store_name() const { return store_name_; }

  void begin_batch() {
    const WithoutInterpreter release;
    if (is_ours()) session_->begin_batch();
  }
  void end_batch() {
    const WithoutInterpreter release;
    if (is_ours()) session_->end_batch();
  }

  [[nodiscard]] bool is_open() const {
    const WithoutInterpreter release;
    return is_ours() && session_->is_open();
  }

  void close() {
    const WithoutInterpreter release;
    if (is_ours()) session_->close();
  }

 private:
  void perform(const std::function<void(Optimizer&)>& action, Cuts /*cuts*/) override {
    const WithoutInterpreter release;
    if (!is_ours()) {
      throw StudyError(StudyError::Fault::other,
                       "the study " + name_ +
                           " was opened before this process was forked, and cannot be used here");
    }
    session_->perform([&](Study& study) { action(study); });
  }

  /// False in a fork of the process that opened the study, where it cannot be used.
  [[nodiscard]] bool is_ours() const { return process_ == getpid(); }

  std::string name_;
  std::string store_name_;
  pid_t process_ = getpid();
  std::unique_ptr<StudySession> session_;
};

/// `like`: an optimizer with the specification of the study; or `file`: a study file; or neither.
void open_study(PythonStudy* self, const std::string& store, const std::string& name,
                const PythonOptimizer* like, const std::optional<std::string>& file,
                const std::optional<std::string>& fork) {
  std::optional<StudySpecification> given;
  if (like != nullptr && like->has_own_partition()) {
    throw std::invalid_argument("partition: a user-defined partition cannot be stored in a study");
  }
  if (like != nullptr) given = like->specification();
  std::string store_name;
  std::unique_ptr<StudySession> session;
  StudySpecification specification = [&] {
    const WithoutInterpreter release;
    if (file) given = load_study(*file);
    const auto mode = given ? Store::Mode::create : Store::Mode::open;
    std::unique_ptr<Store> in = open_store(store, mode);
    store_name = in->name();
    session = opened(std::move(in), {.name = name, .fork = fork, .fold = tuner_fold}, given);
    return session->perform([](Study& study) { return study.specification(); });
  }();
  nb::object space = space_object(specification.space);
  nb::object contexts = contexts_object(specification.contexts);
  new (self) PythonStudy(fork.value_or(name), std::move(store_name), std::move(specification),
                         std::move(space), std::move(contexts), std::move(session));
}

/// A copy of the optimizer in memory.
PythonOptimizer copied(PythonStudy& self) {
  return {self.specification(), self.space_object(), self.contexts_object(),
          self.with([](Optimizer& optimizer) { return optimizer.clone(); })};
}

}  // namespace

void bind_study(nb::module_& module) {
  nb::class_<PythonStudy, Protocol>(module, "Study")
      .def("__init__", &open_study, nb::arg("store"), nb::arg("name"), nb::arg("like").none(),
           nb::arg("file").none(), nb::arg("fork").none())
      .def("_copy", &copied)
      .def("_begin_batch", &PythonStudy::begin_batch)
      .def("_end_batch", &PythonStudy::end_batch)
      .def("close", &PythonStudy::close, nb::sig("def close(self) -> None"),
           "Releases the study, so that other processes can open it.")
      .def_prop_ro("is_open", &PythonStudy::is_open, "Whether it is still open.")
      .def_prop_ro("name", &PythonStudy::name, "Its name in the store.")
      .def_prop_ro("_store_name", &PythonStudy::store_name);
}

}  // namespace canopy::python
