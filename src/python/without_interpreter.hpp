#pragma once

#include <cxxabi.h>
#include <unistd.h>

#include <nanobind/nanobind.h>

namespace canopy::python {

/// Lets go of the interpreter's lock for as long as it lives. A thread that would take it again
/// while the program ends waits there for its end: Python would kill it inside a destructor. But
/// not the thread that ends the program, the only one to have the lock by then.
class WithoutInterpreter {
 public:
  WithoutInterpreter() : ends_program_(is_ending()), state_(PyEval_SaveThread()) {}
  ~WithoutInterpreter() {
    while (!ends_program_ && is_ending()) pause();
    try {
      PyEval_RestoreThread(state_);
    } catch (const abi::__forced_unwind&) {
      for (;;) pause();  // the program began to end meanwhile
    }
  }
  WithoutInterpreter(const WithoutInterpreter&) = delete;
  WithoutInterpreter& operator=(const WithoutInterpreter&) = delete;

 private:
  static bool is_ending() {
#if PY_VERSION_HEX >= 0x030D0000
    return Py_IsFinalizing() != 0;
#else
    return _Py_IsFinalizing() != 0;
#endif
  }

  bool ends_program_;
  PyThreadState* state_;
};

}  // namespace canopy::python
