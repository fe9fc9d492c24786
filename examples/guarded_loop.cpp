// The loop of a consumer that is protected: the synthetic incident, sample by sample, through the guarded posterior.
// prints: refused at step 5: motion uncertain unobservable_direction unexplained
#include <algorithm>
#include <cstdio>

#include "antaeus/episode/synthetic_episode.hpp"
#include "antaeus/trust/flight_record.hpp"
#include "antaeus/trust/guarded_estimator.hpp"

int main() {
  const antaeus::Robot robot = antaeus::load_robot("h1_2");
  const antaeus::Episode log = antaeus::make_twin(robot, antaeus::TwinKind::incident).episode;
  antaeus::GuardedEstimator loop(robot, robot.profile.deployed_endpoints);
  antaeus::Observation sample;
  double largest = 0.0;
  bool told = false;
  for (Eigen::Index step = 0; step < log.steps(); ++step) {
    log.observe(step, sample);  // on the robot: what the drivers just delivered
    const antaeus::ConsumerWrench& left = loop.update(sample)[0];
    largest = std::max(largest, left.wrench.force.norm());
    if (left.state != antaeus::Verdict::refused || told) continue;
    told = true;
    std::printf("refused at step %d: %s\n", static_cast<int>(step), left.reasons.text().c_str());
  }
  const antaeus::Episode record = antaeus::flight_record_episode(loop.last_refusal(), robot);
  std::printf("the last refusal is an episode of %d steps: %s\n", static_cast<int>(record.steps()),
              antaeus::note_text(record.notes.front()).c_str());
  std::printf("the consumer reads at most %.1f N\n", largest);
  return 0;
}
