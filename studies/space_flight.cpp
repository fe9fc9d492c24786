#include "studies/space_flight.hpp"

#include <algorithm>
#include <numbers>

#include "antaeus/core/error.hpp"
#include "antaeus/core/number_text.hpp"
#include "antaeus/core/option_table.hpp"
#include "antaeus/core/words.hpp"
#include "antaeus/io/shell_words.hpp"
#include "studies/runs.hpp"
#include "studies/space_scenarios.hpp"

namespace antaeus {

namespace {

struct FlightEntry {
  const char* name;
  const char* summary;
  const char* robot;  // unless another is asked for
  ExperimentResult (*fly)(const FlightSetup&);
};

const std::vector<FlightEntry>& flights() {
  static const std::vector<FlightEntry> all = {
      {"pose-change", "the arm and the base to other poses without any force on the base", "spacecraft_ur3",
       fly_pose_change},
      {"tracking", "centre of mass, attitude and end-effector tracked together", "spacecraft_ur3", fly_tracking},
      {"inspection", "fly around a point that the end-effector keeps facing", "spacecraft_ur3", fly_inspection},
      {"tumble", "from a tumbling start to rest", "spacecraft_ur3", fly_tumble},
      {"singular", "the arm through a singular pose", "spacecraft_ur3", fly_singular},
      {"posture", "seven joints take another posture while the end-effector holds", "spacecraft_panda", fly_posture},
  };
  return all;
}

const FlightEntry& flight_of(std::string_view name) {
  for (const FlightEntry& one : flights()) {
    if (one.name == name) return one;
  }
  throw_unknown<OptionsError>("scenario", "name", name, space_scenario_names());
}

/// Well away from singularities, the same for the same seed.
VectorX start_of(const FlyingRobot& robot, const FlightOptions& options, const SpaceRequest& request) {
  FreeFlyer flying(robot.model, robot.frame, options.flyer);
  if (options.det.enabled) return deterministic_q_init(flying, options.det);
  const RobotModel& model = robot.model;
  const auto score = [&](ConstVectorRef theta) {
    for (int k = 0; k < theta.size(); ++k) {
      if (theta[k] < model.lower_limits()[k] || theta[k] > model.upper_limits()[k]) return kNaN;
    }
    const FreeFlyingConditioning result = flying.conditioning_at(flying_position(model, Pose{}, theta));
    return options.initial.score == InitialScore::sigma_j ? result.sigma_J : result.sigma_Gamma;
  };
  // Without a pose to begin around, neutral is as good as any, and often singular: search as wide as elbows bend.
  constexpr double kWide = std::numbers::pi / 2;
  const double step = robot.is_named_ready ? options.initial.step : std::max(options.initial.step, kWide);
  const BestSample best =
      best_sample(score, robot.ready, step, options.initial.samples, static_cast<std::uint64_t>(request.seed));
  if (best.index < 0) {
    throw OptionsError("initial.samples", "no start within the joints' limits was found", "try more samples");
  }
  return best.theta;
}

/// FRAME=MASS,x,y,z as --payload has it, a point mass; exact in its numbers.
std::string payload_assignment(const Payload& payload) {
  std::string text = payload.frame + "=" + shortest_text(payload.inertial.mass);
  const Vector3& center = payload.inertial.center_of_mass;
  if (!center.isZero(0.0)) {
    for (int axis = 0; axis < 3; ++axis) text += "," + shortest_text(center[axis]);
  }
  return text;
}

std::string command_of(std::string_view name, const SpaceRequest& request) {
  std::string text = "antaeus space " + std::string(name);
  if (!request.robot.empty()) text += " --robot " + shell_word(request.robot);
  for (const Payload& payload : request.payloads) text += " --payload " + shell_word(payload_assignment(payload));
  if (!request.frame.empty()) text += " --frame " + shell_word(request.frame);
  if (request.plant != FlightPlant::pinocchio) text += " --plant " + std::string(to_string(request.plant));
  if (request.seed != 1) text += " --seed " + std::to_string(request.seed);
  return text + settings_words(request.settings);
}

}  // namespace

const OptionTable& options_of(const SpaceChoice&) {
  using O = SpaceChoice;
  constexpr const char* kOurs = "our choice";
  static const OptionTable table(
      "space",
      {
          option("compatibility", "", "none, or every choice of GiordanoRobot's coordinated control at once",
                 "docs/concepts/space.md#as-published", &O::compatibility),
          option("duration", "s", "of the flight; 0: the scenario's own", kOurs, &O::duration, Range{0.0, 3600.0}),
          option("rate", "Hz", "of the control loop, and steps of the plant", kOurs, &O::rate, Range{10.0, 20000.0}),
          option("sample_rate", "Hz", "rows of the samples in a second", kOurs, &O::sample_rate, Range{0.1, 20000.0}),
          option("q0_eps", "rad", "how far the plant's arm starts from where the plan has it, along a stored direction",
                 "space robots' coordinated control", &O::q0_eps, Range{0.0, 1.0}),
          option("turn", "rad", "of the base in pose-change and tracking", kOurs, &O::turn, Range{0.0, 2.0}),
          option("reach", "rad", "most that each joint differs at the goal of pose-change and tracking", kOurs,
                 &O::reach, Range{0.0, 3.0}),
          option("shift", "m", "of the centre of mass in tracking", kOurs, &O::shift, Range{0.0, 10.0}),
          option("spin", "rad/s", "of the base at the start of tumble", kOurs, &O::spin, Range{0.0, 1.0}),
          option("drift", "m/s", "of the centre of mass at the start of tumble", kOurs, &O::drift, Range{0.0, 1.0}),
          option("circle", "rad", "angle of inspection", kOurs, &O::circle, Range{0.0, 6.0}),
          option("standoff", "m", "from the end-effector to the inspected place", kOurs, &O::standoff,
                 Range{0.05, 10.0}),
          option("crossing", "", "what the arm passes through in singular", kOurs, &O::crossing),
          option("speed", "rad/s", "of the crossing joint in singular", kOurs, &O::speed, Range{0.01, 2.0}),
          option("offset", "m, rad", "unreachable demand at the singularity: m at the elbow, rad at the wrist", kOurs,
                 &O::offset, Range{0.0, 0.1}),
          option("start_error", "rad",
                 "length of the joints' error at the start of singular, in a direction of the seed", kOurs,
                 &O::start_error, Range{0.0, 0.2}),
          option("null_travel", "rad", "length of the null motion in posture", kOurs, &O::null_travel, Range{0.0, 3.0}),
      });
  return table;
}
const OptionGroup kSpaceGroup(SpaceChoice{});

std::vector<std::string> space_scenario_names() {
  std::vector<std::string> names;
  for (const FlightEntry& one : flights()) names.emplace_back(one.name);
  return names;
}

std::string space_scenario_summary(std::string_view name) { return flight_of(name).summary; }

std::string space_assignment(std::string_view assignment) {
  const std::string_view name = assignment.substr(0, assignment.find('='));
  constexpr std::string_view kPrefix = "space.";
  if (name.find('.') == std::string_view::npos) return std::string(kPrefix) + std::string(assignment);
  const bool is_nested = name.starts_with(kPrefix) && name.find('.', kPrefix.size()) != std::string_view::npos;
  return std::string(is_nested ? assignment.substr(kPrefix.size()) : assignment);
}

ExperimentResult run_space_scenario(std::string_view name, const SpaceRequest& request) {
  const FlightEntry& scenario = flight_of(name);
  FlyingRobot robot =
      load_flying_robot(request.robot.empty() ? scenario.robot : request.robot, request.frame, request.payloads);
  // What the caller sets comes after the profile, and so wins.
  SpaceRequest used = request;
  used.settings = robot.settings;
  for (const Setting& setting : request.settings.all()) used.settings.set(setting);
  if (used.settings.get<SpaceChoice>().compatibility == SpaceCompatibility::published) {
    for (const Setting& setting : used.settings.all()) {
      check_beside_published(setting.group, setting.name, setting.value, setting.place);
    }
  }
  FlightSetup setup{used, flight_options(used), std::move(robot), {}, {}};
  setup.theta = start_of(setup.robot, setup.options, used);
  setup.q = flying_position(setup.robot.model, Pose{}, setup.theta);
  ExperimentResult result = scenario.fly(setup);
  // What is judged stands first.
  std::stable_partition(result.metrics.begin(), result.metrics.end(),
                        [](const Metric& metric) { return metric.has_criterion(); });
  result.verb = "space";
  result.payloads = setup.robot.model.options().payloads;
  result.name = name;
  result.seed = request.seed;
  result.command = command_of(name, request);
  tell_unread(result, request.settings, {"experiment"}, "flights");
  return result;
}

}  // namespace antaeus
