#pragma once

#include <cxxabi.h>
#include <unistd.h>

#include <nanobind/nanobind.h>

namespace canopy::python {

/// Releases the interpreter's lock while this object exists. A thread that would take the lock
/// again while the program ends blocks until the end instead: Python would kill it inside a
/// destructor. This does not apply to the thread that ends the program, because it holds the lock
/// then.
class WithoutInterpreter {
 public:
  WithoutInterpreter() : ends_program_(is_ending()), state_(PyEval_SaveThread()) {}
  ~WithoutInterpreter() {
    while (!ends_program_ && is_ending()) pause();
    try {
      PyEval_RestoreThread(state_);
    } catch (const abi::__forced_unwind&) {
      for (;;) pause();  // the program is ending
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
