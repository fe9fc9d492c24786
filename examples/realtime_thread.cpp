// The guarded estimator in a real-time thread of 1 kHz: memory locked, priority set, no allocation, words told
// elsewhere. prints: 500 cycles, last state (ok|degraded)
#include <pthread.h>
#include <sys/mman.h>
#include <time.h>

#include <atomic>
#include <cmath>
#include <cstdio>
#include <thread>

#include "antaeus/trust/guarded_estimator.hpp"

using namespace antaeus;

namespace {

// Stands in for a driver: a UR5e that holds still, and is pushed with 20 N upwards from 0.2 s on.
class Driver {
 public:
  explicit Driver(const Robot& robot) : reader_(robot, {"tool0"}), q_(robot.pose("ready")) {}
  void read(int cycle, Observation& sample) {
    sample.time = 1e-3 * cycle;
    sample.q = q_;
    sample.v.setZero(q_.size());
    sample.tau.setZero(q_.size());
    const Instant& now = reader_.at(sample);
    sample.tau = now.gravity_torque();
    if (cycle >= 200) sample.tau.noalias() -= 20.0 * now.jacobian(0).row(kFz).transpose();
    for (Eigen::Index i = 0; i < q_.size(); ++i)
      sample.tau[i] += 0.05 * std::sin(700.0 * sample.time + 1.7 * double(i));
  }

 private:
  InstantReader reader_;
  VectorX q_;
};

// What the loop tells the rest of the program. Numbers: text allocates.
struct Told {
  std::atomic<Verdict> state{Verdict::invalid_input};
  std::atomic<std::uint64_t> reasons{0};
  std::atomic<double> up{0.0};  // [N]
  std::atomic<int> late{0};     // cycles that ended after the next one was due
};

// ---- the loop
void loop(GuardedEstimator& estimator, Driver& driver, int cycles, Told& told) {
  sched_param priority{};
  priority.sched_priority = 80;  // below the kernel's own threads (99), above all that is not in a hurry
  if (pthread_setschedparam(pthread_self(), SCHED_FIFO, &priority) != 0)
    std::fprintf(stderr, "no real-time priority: give the user rtprio in /etc/security/limits.conf\n");

  Observation sample;
  driver.read(0, sample);  // the first call takes the sample's memory and binds the libraries' symbols
  estimator.update(sample);
  estimator.reset();

  timespec due, now;
  clock_gettime(CLOCK_MONOTONIC, &due);
  for (int cycle = 0; cycle < cycles; ++cycle) {
    driver.read(cycle, sample);
    const ConsumerWrench& read = estimator.update(sample)[0];  // noexcept, total, no allocation
    // read.wrench is finite in every state: the posterior where it may be used, fading to zero where it is refused.
    if (read.stop_requested) break;  // only with consumer_guard.on_refused = stop
    told.state = read.state;
    told.reasons = read.reasons.bits();
    told.up = read.wrench.force.z();

    due.tv_nsec += 1'000'000;
    if (due.tv_nsec >= 1'000'000'000) due.tv_nsec -= 1'000'000'000, ++due.tv_sec;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (now.tv_sec > due.tv_sec || (now.tv_sec == due.tv_sec && now.tv_nsec > due.tv_nsec)) ++told.late;
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, nullptr);
  }
}
// ---- end of the loop

}  // namespace

int main() {
  const Robot robot = load_robot("ur5e");
  GuardedEstimator estimator(robot, {"tool0"});  // all memory is taken here; throws antaeus::Error
  Driver driver(robot);
  Told told;
  if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0)  // before the thread, so that its stack is in memory too
    std::fprintf(stderr, "memory is not locked: give the user memlock in /etc/security/limits.conf\n");
  std::thread thread(loop, std::ref(estimator), std::ref(driver), 500, std::ref(told));
  thread.join();
  std::printf("500 cycles, last state %s, %.1f N upwards on the robot; reasons: %s\n",
              to_string(told.state.load()).data(), told.up.load(), Reasons::from_bits(told.reasons).text().c_str());
  std::printf("late cycles: %d\n", told.late.load());
}
