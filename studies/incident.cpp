// The incident in simulation: what a policy that reads a wrench out of torques does to a humanoid, and what stops it.
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <exception>
#include <mutex>
#include <span>
#include <thread>

#include "antaeus/core/option_table.hpp"
#include "antaeus/robot/dynamics.hpp"
#include "studies/arm_run.hpp"
#include "studies/incident_run.hpp"
#include "studies/runs.hpp"

namespace antaeus {

namespace {

/// One line of the table: a bench, what the policy reads, and a run for each seed.
struct Line {
  std::string name;
  const IncidentBench* bench;
  Remedy remedy;
  IncidentChoice choice;
  std::vector<IncidentOutcome> runs = {};
};

/// What the second table changes: shares of the answer, of the stand's stiffness and of the disturbance.
struct Other {
  const char* name;
  double answer, stiffness, disturbance;
};
constexpr std::array<Other, 7> kOthers = {{{"no answer", 0.0, 1.0, 1.0},
                                           {"half the answer", 0.5, 1.0, 1.0},
                                           {"0.65 of the answer", 0.65, 1.0, 1.0},
                                           {"1.5 times the answer", 1.5, 1.0, 1.0},
                                           {"stand half as stiff", 1.0, 0.5, 1.0},
                                           {"stand four times as stiff", 1.0, 4.0, 1.0},
                                           {"no disturbance, noise alone", 1.0, 1.0, 0.0}}};

/// Every run of every line, on all cores; each is its own, so the order does not matter.
void run_all(std::vector<Line>& lines, const DampingModeOptions& damping, const RunRequest& request) {
  const auto seeds = static_cast<std::size_t>(lines.front().choice.seeds);
  for (Line& line : lines) line.runs.resize(seeds);
  const std::size_t jobs = lines.size() * seeds;
  std::atomic<std::size_t> next{0}, done{0};
  std::exception_ptr failure;
  std::mutex guard;
  const auto work = [&] {
    try {
      for (std::size_t job = next++; job < jobs; job = next++) {
        Line& line = lines[job / seeds];
        const int seed = request.seed + static_cast<int>(job % seeds);
        line.runs[job % seeds] = run_incident_once(*line.bench, line.choice, line.remedy, damping, seed, nullptr);
        ++done;
      }
    } catch (...) {
      const std::lock_guard lock(guard);
      failure = std::current_exception();
      next = jobs;
    }
  };
  {
    std::vector<std::jthread> others;
    const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
    for (unsigned i = 1; i < cores && i < jobs; ++i) others.emplace_back(work);
    work();
    request.tell(0.9 * static_cast<double>(done) / static_cast<double>(jobs));
  }
  if (failure) std::rethrow_exception(failure);
}

double largest(const Line& line, double IncidentOutcome::* field) {
  double most = kNaN;
  for (const IncidentOutcome& run : line.runs) {
    const double value = run.*field;
    if (!std::isnan(value)) most = std::isnan(most) ? value : std::max(most, value);
  }
  return most;
}

double median(const Line& line, double IncidentOutcome::* field) {
  std::vector<double> all;
  for (const IncidentOutcome& run : line.runs) {
    if (!std::isnan(run.*field)) all.push_back(run.*field);
  }
  if (all.empty()) return kNaN;
  std::sort(all.begin(), all.end());
  const std::size_t half = all.size() / 2;
  return all.size() % 2 == 1 ? all[half] : 0.5 * (all[half - 1] + all[half]);
}

/// Share of the runs with a motor at its effort limit within a time.
double rated_share(const Line& line, double within) {
  const auto count = std::count_if(line.runs.begin(), line.runs.end(),
                                   [&](const IncidentOutcome& run) { return run.first_rated <= within; });
  return static_cast<double>(count) / static_cast<double>(line.runs.size());
}

/// Share of the runs in which an alarm came and every motor is slow from one second after it on.
double rest_share(const Line& line, double speed) {
  const auto count = std::count_if(line.runs.begin(), line.runs.end(),
                                   [&](const IncidentOutcome& run) { return run.after_alarm <= speed; });
  return static_cast<double>(count) / static_cast<double>(line.runs.size());
}

const Line& line_of(const std::vector<Line>& lines, std::string_view name) {
  return *std::find_if(lines.begin(), lines.end(), [&](const Line& line) { return line.name == name; });
}

std::string name_of(Remedy remedy) {
  switch (remedy) {
    case Remedy::deployed: return "deployed";
    case Remedy::clamp: return "clamp of ±50 N";
    case Remedy::condition: return "condition number above 20 is refused";
    case Remedy::dominance: return "torso’s share above 0.5 is zeroed";
    case Remedy::imu: return "IMU’s quaternion where it is mounted";
    case Remedy::stacked: return "stacked estimator, hands and feet";
    case Remedy::guarded: return "guarded estimate";
    case Remedy::watchdog_damping: return "watchdog, then damping";
    case Remedy::watchdog_hold: return "watchdog, then damping with a hold";
  }
  return "";
}

/// Whether the loops could stand: stiffness of both ankles in pitch, and what the weight takes of it [N·m/rad].
struct Standing {
  double ankles, weight;
};
Standing standing_of(const IncidentBench& bench) {
  const Robot& robot = bench.robot;
  const int ankle = robot.model.motor("left_ankle_pitch_joint");
  Dynamics dynamics(bench.standing);
  const PositionTerms& terms = dynamics.at(bench.start);
  Pose X_WA;
  Vector3 center;
  static_cast<void>(terms.frame_pose(bench.standing.frame("left_ankle_pitch_link"), X_WA));
  static_cast<void>(terms.center_of_mass(center));
  return {2.0 * bench.stiffness[ankle], robot.weight() * (center.z() - X_WA.translation.z())};
}

SceneReplay replay_of(const IncidentBench& bench) {
  SceneReplay replay;
  replay.description = bench.standing.description();
  for (const std::string& joint : bench.standing.motor_names()) {
    replay.joints.push_back(joint);
    replay.columns.push_back("q_" + joint);
  }
  replay.force = {"read_x", "read_y", "read_z"};
  replay.place = replay.force_at = {"hand_x", "hand_y", "hand_z"};
  replay.force_name = "force that the policy reads";
  replay.meters_per_newton = 1e-3;
  replay.has_own_shapes = true;
  return replay;
}

}  // namespace

ExperimentResult run_incident(const RunRequest& request) {
  constexpr double kWithin = 1.0, kSlow = 0.1;
  const auto choice = request.settings.get<IncidentChoice>();
  check_options(choice);
  const auto damping = request.settings.get<DampingModeOptions>();
  check_options(damping);
  ExperimentResult result;
  result.title = "The incident: a policy that reads a wrench out of torques";
  result.question = "The H1-2 on a stand, without contact. A moment of " + value_text(choice.disturbance) +
                    " N·m turns its torso for " + value_text(choice.disturbance_time) +
                    " s; the policy reads what an estimator makes of the torques, and answers with its legs. " +
                    std::to_string(choice.seeds) + " seeds of each variant.";

  const IncidentBench bad = make_incident_bench(choice, choice.pose, choice.stand);
  const IncidentBench good = make_incident_bench(choice, choice.good_pose, choice.stand);
  const IncidentBench welded = make_incident_bench(choice, choice.pose, Stand::welded);
  std::vector<Line> lines;
  for (const Remedy remedy : all_values<Remedy>()) lines.push_back({name_of(remedy), &bad, remedy, choice});
  lines.insert(lines.begin() + 1, {"deployed, pose " + choice.good_pose, &good, Remedy::deployed, choice});
  if (choice.stand != Stand::welded) {
    lines.insert(lines.begin() + 2, {"deployed, pelvis welded", &welded, Remedy::deployed, choice});
  }
  if (!request.compares()) {
    std::erase_if(lines, [](const Line& line) {
      return line.remedy != Remedy::deployed && line.remedy != Remedy::guarded && line.remedy != Remedy::watchdog_hold;
    });
  }
  const std::size_t remedies = lines.size();
  if (request.compares()) {
    for (const auto& [what, answer, stiffness, disturbance] : kOthers) {
      IncidentChoice other = choice;
      other.answer *= answer;
      other.stand_stiffness *= stiffness;
      other.disturbance *= disturbance;
      for (const Remedy remedy : {Remedy::deployed, Remedy::guarded}) {
        lines.push_back({std::string(what) + ", " + name_of(remedy), &bad, remedy, other});
      }
    }
  }
  run_all(lines, damping, request);
  SampleLog log(incident_heads(bad));
  const IncidentOutcome shown = run_incident_once(bad, choice, choice.shown, damping, request.seed, &log);
  request.tell(0.95);

  const Standing standing = standing_of(bad);
  const Line& deployed = lines.front();
  const Line& held = line_of(lines, name_of(Remedy::watchdog_hold));
  const Line& guarded = line_of(lines, name_of(Remedy::guarded));
  const Line& in_good_pose = lines[1];
  result.metrics = {
      {"deployed_rated_share", rated_share(deployed, kWithin), "1",
       "share of the runs with a motor at its effort limit within 1 s of the disturbance, deployed estimator", 0.95,
       kInfinity, kNaN},
      {"deployed_first_rated", median(deployed, &IncidentOutcome::first_rated), "s",
       "median time from the disturbance to the first motor at its effort limit, deployed estimator"},
      {"deployed_read_max", largest(deployed, &IncidentOutcome::largest_read), "N",
       "largest force of a hand that the policy read, deployed estimator; without contact"},
      {"good_pose_rated_share", rated_share(in_good_pose, choice.duration), "1",
       "share of the runs with a motor at its effort limit, deployed estimator, the other pose"},
      {"guarded_rated_share", rated_share(guarded, choice.duration), "1",
       "the same with the guarded estimate in the incident's pose", -kInfinity, 0.0, kNaN},
      {"guarded_read_max", largest(guarded, &IncidentOutcome::largest_read), "N",
       "largest force of a hand that the policy read, guarded estimate"},
      {"damping_rest_share", rest_share(held, kSlow), "1",
       "share of the runs in which no motor is faster than 0.1 rad/s from 1 s after the watchdog's alarm on, damping "
       "with a hold",
       1.0, kInfinity, kNaN},
      {"damping_speed", largest(held, &IncidentOutcome::after_alarm), "rad/s",
       "largest speed of a motor from 1 s after the alarm on, damping with a hold", -kInfinity, kSlow, kNaN},
  };

  Comparison table;
  table.title = "What stands between the torques and the policy";
  table.note =
      "Incident's pose unless another is named. Rated: the policy drives a motor to its effort limit; the brake may "
      "use all of it. Late: the last half second. "
      "Alarm: the watchdog's, or the guard's first refusal, median. After: largest speed from 1 s after the "
      "watchdog's alarm on.";
  table.heads = {"rated in 1 s [share]",
                 "first rated, median [s]",
                 "largest share of effort [1]",
                 "largest |F| read [N]",
                 "largest speed [rad/s]",
                 "late speed [rad/s]",
                 "alarm [s]",
                 "after [rad/s]"};
  for (const Line& line : std::span(lines).first(remedies)) {
    table.variants.push_back(
        {line.name,
         {rated_share(line, kWithin), median(line, &IncidentOutcome::first_rated),
          largest(line, &IncidentOutcome::largest_share), largest(line, &IncidentOutcome::largest_read),
          largest(line, &IncidentOutcome::largest_speed), largest(line, &IncidentOutcome::late_speed),
          median(line, &IncidentOutcome::alarm), largest(line, &IncidentOutcome::after_alarm)},
         line.bench == &bad && line.remedy == choice.shown});
  }
  result.comparisons.push_back(table);
  if (lines.size() > remedies) {
    Comparison others;
    others.title = "How much hangs on the surrogate and on the stand";
    others.note = "The same runs with another answer of the policy and another spring of the stand.";
    others.heads = {"rated in 1 s [share]", "first rated, median [s]", "largest |F| read [N]", "late speed [rad/s]"};
    for (const Line& line : std::span(lines).subspan(remedies)) {
      others.variants.push_back(
          {line.name,
           {rated_share(line, kWithin), median(line, &IncidentOutcome::first_rated),
            largest(line, &IncidentOutcome::largest_read), largest(line, &IncidentOutcome::late_speed)}});
    }
    result.comparisons.push_back(others);
  }

  result.findings = {
      "With the deployed estimator " + percent_text(rated_share(deployed, kWithin)) +
          " of the runs have a motor at its effort limit within 1 s, half of them after " +
          value_text(median(deployed, &IncidentOutcome::first_rated)) + " s; the policy reads up to " +
          value_text(largest(deployed, &IncidentOutcome::largest_read)) +
          " N, and in the last half second the legs still move with up to " +
          value_text(largest(deployed, &IncidentOutcome::late_speed)) + " rad/s.",
      "The same disturbance in the pose " + choice.good_pose + ": up to " +
          value_text(largest(in_good_pose, &IncidentOutcome::largest_read)) + " N are read, " +
          percent_text(rated_share(in_good_pose, choice.duration)) + " of the runs reach an effort limit.",
      "With the guarded estimate the policy reads at most " +
          value_text(largest(guarded, &IncidentOutcome::largest_read)) + " N; no motor gives more than " +
          value_text(100.0 * largest(guarded, &IncidentOutcome::largest_share)) + " % of its effort limit.",
      "The watchdog's alarm comes " + value_text(median(held, &IncidentOutcome::alarm)) +
          " s after the disturbance begins; one second later no motor of any run is faster than " +
          value_text(largest(held, &IncidentOutcome::after_alarm)) + " rad/s with damping and a hold of posture."};
  result.physics = {
      "MuJoCo 4.0, 1 ms steps, implicit integration, our own description of the H1-2, rotors included; joints stop at "
      "their ranges and nothing else collides; they have no friction, motors are cut at their effort limits, limits of "
      "speed are not enforced.",
      choice.stand == Stand::welded
          ? "The pelvis is welded to the stand."
          : "The pelvis stands on a column that yields about the vertical, " + value_text(choice.stand_stiffness) +
                " N·m/rad and " + value_text(choice.stand_damping) +
                " N·m·s/rad, and is welded in all else; the feet hang free.",
      "Joints under the PD gains of the maker's own deployment (unitree_rl_gym, h1_2.yaml) at 1 kHz, the policy at 50 "
      "Hz. "
      "Noise: positions 0.1 mrad, velocities 5 mrad/s, torques 0.1 N·m. Seeds draw the disturbance's sign, its size "
      "within 10 %, its length within 20 %, and when the policy ticks.",
      "The policy is a surrogate: knees bend by " + value_text(choice.answer) +
          " rad/N of the larger hand force, hips and ankles by half of it, and both hips turn by it times the "
          "difference "
          "of the hands' vertical forces. Its arms stay where they are, as in the incident."};
  result.remarks = {
      "The answer's gain is that of the one target in the incident report that stands at no limit: knees 0.515 rad "
      "beyond "
      "their first target at step 7, 140.4 N read at step 6. Hips at ±0.43 rad one step after 178 N, and knees 1.74 "
      "rad "
      "beyond at 715 N, give 2.4 mrad/N; both are at the joints' ranges or past them, so the policy may have wanted "
      "more.",
      "The second table says how much hangs on it: the disturbance alone reads as hundreds of newtons whatever the "
      "policy "
      "does; how many runs reach an effort limit follows the policy's gain and the stand.",
      "It is run on the stand and not on its feet: these loops alone cannot stand. Both ankles give " +
          value_text(standing.ankles) + " N·m/rad, and the weight above them topples it with " +
          value_text(standing.weight) + " N·m/rad; what keeps it up in the incident is the policy's own balancing.",
      "With all six directions of the pelvis welded the legs cannot reach the torso, so that "
      "no "
      "loop closes; the row says what is left then."};
  result.samples = log.table();
  result.plots = {
      {"Force that the policy reads", "N", {{"read", "larger of both hands"}}, {100.0}},
      {"Torso", "N·m", {{"residual", "τ − g"}, {"disturbance", "disturbance"}}, {}},
      {"Largest share of a motor's effort limit", "1", {{"share", "share"}}, {1.0}},
      {"Largest speed", "rad/s", {{"speed", "speed"}}, {kSlow}},
      {"Motors",
       "N·m",
       {{"tau_left_knee_joint", "left knee"},
        {"tau_right_knee_joint", "right knee"},
        {"tau_left_hip_yaw_joint", "left hip yaw"},
        {"tau_torso_joint", "torso"}},
       {}},
  };
  result.phases = {{log.column("time").front(), "quiet", "the robot hangs at rest"},
                   {0.0, "disturbance", "a moment turns the torso"}};
  const auto add_phase = [&](double time, const char* phase, const std::string& why) {
    if (time > 0.0) result.phases.push_back({time, phase, why});
  };
  add_phase(shown.first_rated, "effort limit", "a motor gives all that it can");
  add_phase(shown.alarm, "alarm", name_of(choice.shown));
  std::stable_sort(result.phases.begin(), result.phases.end(),
                   [](const PhaseChange& a, const PhaseChange& b) { return a.time < b.time; });
  result.replay = replay_of(bad);
  add_settings(result, request, choice, damping);
  request.tell(1.0);
  return result;
}

}  // namespace antaeus
