#pragma once
// Releases and takes the interpreter's lock where Python may end meanwhile.
#include <cxxabi.h>
#include <nanobind/nanobind.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace antaeus::python {

/// Calls \p call, and holds a thread that Python ends in it. Before version 3.14 an interpreter that exits unwinds
/// daemon threads when they ask for the lock (pthread_exit); in a destructor or a handler that is std::terminate.
template <class Call>
void hold_when_ended(Call&& call) {
  try {
    call();
  } catch (abi::__forced_unwind&) {
    for (;;) ::pause();  // the end of the process ends the thread
  }
}

/// Threads inside the library without the lock.
inline std::atomic<int> unlocked_threads = 0;

/// Ends the process without destroying the library's constants, which a thread inside it may be reading. Called when
/// Python's own exit begins, so that what it registers runs before the destructors of constants.
inline void keep_constants_at_exit() {
  ::on_exit(
      [](int code, void*) {
        if (unlocked_threads == 0) return;
        std::fflush(nullptr);
        ::_exit(code);
      },
      nullptr);
}

/// Releases the lock for a scope.
class Unlocked {
 public:
  Unlocked() noexcept : state_(PyEval_SaveThread()) { ++unlocked_threads; }
  ~Unlocked() {
    hold_when_ended([this] { PyEval_RestoreThread(state_); });
    --unlocked_threads;
  }
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

 private:
  PyThreadState* state_;
};

/// Takes the lock for a scope, in any thread.
class Locked {
 public:
  Locked() {
    hold_when_ended([this] { state_ = PyGILState_Ensure(); });
  }
  ~Locked() { PyGILState_Release(state_); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  PyGILState_STATE state_ = PyGILState_UNLOCKED;
};

}  // namespace antaeus::python
