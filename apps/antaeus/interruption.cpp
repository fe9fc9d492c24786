#include "interruption.hpp"

#include <pthread.h>
#include <unistd.h>

#include <csignal>
#include <system_error>
#include <thread>

#include "antaeus/io/scratch_folder.hpp"
#include "child_process.hpp"

namespace antaeus::cli {

namespace {

/// A thread, not a handler: there, nothing but async-signal-safe calls would be allowed, and no folder could be listed.
[[noreturn]] void wait_and_end(sigset_t signals) {
  int signal = 0;
  while (sigwait(&signals, &signal) != 0) {
  }
  kill_children();
  remove_scratch();
  // The shell shall see who ended the process: it then reports 128 + signal, and ends the loop that the process is in.
  std::signal(signal, SIG_DFL);
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, signal);
  pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
  ::raise(signal);
  ::_exit(128 + signal);  // the first process of a container is not ended by its own signal
}

}  // namespace

void clean_up_when_interrupted() {
  sigset_t signals, before;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction now{};
    if (::sigaction(signal, nullptr, &now) == 0 && now.sa_handler != SIG_IGN) sigaddset(&signals, signal);
  }
  pthread_sigmask(SIG_BLOCK, &signals, &before);
  try {
    std::thread(wait_and_end, signals).detach();
  } catch (const std::system_error&) {
    pthread_sigmask(SIG_SETMASK, &before, nullptr);  // no thread to be had: the signals end the process as ever
  }
}

}  // namespace antaeus::cli
