// Force control without a force sensor: hold and trace on the torques of motors or joints alone.
#include <algorithm>
#include <cmath>

#include "antaeus/core/option_table.hpp"
#include "antaeus/draw/figure.hpp"
#include "studies/arm_run.hpp"
#include "studies/force_run.hpp"
#include "studies/force_story.hpp"
#include "studies/runs.hpp"
#include "studies/sensorless_run.hpp"

namespace antaeus {

namespace {

constexpr double kReach = 0.14;  // [m] of the way down: the table may stand 0.1 m lower than told

/// What a plant has here unless it is set: friction that sticks, and noise.
PlantChoice plant_with_friction() {
  PlantChoice plant;
  plant.coulomb = 1.0;
  plant.gripper = ToolJoints::real;
  plant.torque_noise = 0.1;
  plant.velocity_noise = 1e-3;
  return plant;
}

struct Request {
  SensorlessSetup setup;
  std::vector<OptionValue> settings;
};

Request setup_of(const RunRequest& request, Dither dither, bool has_line) {
  const Settings& settings = request.settings;
  SensorlessChoice base;
  base.control.dither = dither;
  base.control.task.reach = kReach;
  Request asked;
  SensorlessSetup& setup = asked.setup;
  setup.choice = settings.get(base);
  setup.scene = settings.get<SceneChoice>();
  setup.plant = settings.get(plant_with_friction());
  setup.has_payload_error = settings.find("plant", "payload_error") == nullptr;
  setup.seed = request.seed;
  const auto add = [&asked](const std::vector<OptionValue>& values) {
    asked.settings.insert(asked.settings.end(), values.begin(), values.end());
  };
  add(settings.list(setup.choice));
  add(settings.list(setup.scene));
  add(settings.list(setup.plant));
  if (has_line) {
    const TraceChoice trace = settings.get<TraceChoice>();
    setup.line = {trace.length, trace.duration, trace.profile};
    setup.direction = trace.along();
    add(settings.list(trace));
  }
  return asked;
}

/// What the run should reach, by what it does without: docs/concepts/control.md#without-a-force-sensor, worst of the
/// seeds, and some slack.
struct Criteria {
  double mean = kInfinity, within_one = -kInfinity, off = kInfinity, peak = 9.0;
};
Criteria criteria_of(const SensorlessSetup& setup) {
  const SensorlessOptions& control = setup.choice.control;
  const bool has_line = setup.line.length > 0.0, rocks = control.dither == Dither::rock;
  Criteria bars;
  if (rocks) bars.peak = 15.0;
  if (control.has_joint_sensors) {
    if (control.tares) bars.mean = 0.2, bars.within_one = 0.95;
  } else if (has_line) {
    bars.mean = control.tares ? 0.25 : 0.8;
    bars.within_one = control.tares ? 0.98 : 0.94;
    if (control.tares && !rocks) bars.off = 3e-4;
  } else if (rocks && control.tares) {
    bars.mean = 0.3, bars.within_one = 0.95;
  }
  return bars;
}

double worst_error(const VectorX& told, const VectorX& real) {
  return (told - real).cwiseAbs().cwiseQuotient(real.cwiseMax(1e-9)).maxCoeff();
}

/// NaN where torques are measured behind friction, and none is taken off them.
double used_wrong(const SensorlessRun& run) {
  return run.has_joint_sensors ? kNaN : worst_error(run.friction.coulomb, run.coulomb);
}

void add_metrics(ExperimentResult& result, const SensorlessSetup& setup, const SensorlessRun& run) {
  const Criteria bars = criteria_of(setup);
  const SensorlessFigures& f = run.figures;
  const double wanted = setup.choice.control.task.force;
  const std::string span = setup.line.length > 0.0 ? ", while it slides" : ", while it holds";
  const auto add = [&result](Metric metric) { result.metrics.push_back(std::move(metric)); };
  add({.name = "force_mean",
       .value = f.mean,
       .unit = "N",
       .meaning = "mean of the true force along the surface's normal" + span,
       .lower = wanted - bars.mean,
       .upper = wanted + bars.mean});
  add({.name = "force_within_1N",
       .value = f.within_one,
       .unit = "1",
       .meaning = "share of the true force within 1 N of what was wanted" + span,
       .lower = bars.within_one});
  add({.name = "force_within_01N", .value = f.within_tenth, .unit = "1", .meaning = "the same within 0.1 N"});
  add({.name = "tangent_error_max",
       .value = f.tangent_max,
       .unit = "m",
       .meaning = "largest distance of the tool's true place, along the surface, from where it was wanted" + span,
       .upper = bars.off});
  add({.name = "landing_peak",
       .value = run.landing_peak,
       .unit = "N",
       .meaning = "largest true force from the start until the force has settled, rocking's onset included",
       .upper = bars.peak});
  add({.name = "interval_coverage",
       .value = f.coverage,
       .unit = "1",
       .meaning = "share of the cycles" + span + ", in which the true force lies in the stated interval of 95 %",
       .lower = 0.9});
  add({.name = "interval_half_width", .value = 1.96 * f.sd, .unit = "N", .meaning = "of that interval, on average"});
  add({.name = "error_over_sd",
       .value = f.error_over_sd,
       .unit = "1",
       .meaning =
           "root mean square of the estimate's error over its stated sd: 1 where the interval is as wide as need "
           "be, less where wider"});
  add({.name = "sd_at_rest",
       .value = run.sd_at_rest,
       .unit = "N",
       .meaning = "sd that the force would have with all joints at rest, predicted before anything is touched",
       .upper = setup.choice.control.task.most_sd_share * wanted});
  add({.name = "touched",
       .value = std::isnan(run.touched) ? 0.0 : 1.0,
       .unit = "1",
       .meaning = "1 where the tool came to press on the surface",
       .lower = 1.0});
}

void describe(ExperimentResult& result, const SensorlessSetup& setup, const ArmRig& rig, const SensorlessRun& run) {
  const SensorlessOptions& control = setup.choice.control;
  result.samples = run.log.table();
  if (control.tares) {
    result.phases.push_back({0.0, "tare", "friction and bias of each joint are learnt in the air"});
  }
  for (const TaskEvent& event : run.events) {
    std::string reason = in_words(event.reason);
    if (event.reason == TaskReason::touched) reason += ": " + force_text(event.value) + " above that of free motion";
    if (event.reason == TaskReason::force_uncertain) reason += ": " + force_text(event.value);
    result.phases.push_back({run.tared + event.time, std::string(to_string(event.phase)), reason});
  }
  const double wanted = control.task.force;
  result.plots.push_back(
      {"Force along the surface's normal",
       "N",
       {{"force_true", "true"}, {"force", "estimated, with its sd", "sd"}, {"force_wanted", "wanted"}},
       {wanted - 1.0, wanted + 1.0}});
  result.plots.push_back({"What friction at rest can hide", "N", {{"hidden", "at most"}, {"sd", "stated sd"}}, {}});
  result.plots.push_back(
      {"How far the estimate is trusted", "1", {{"trust", "share of gains"}, {"moving", "friction that moves"}}, {}});
  result.plots.push_back(
      {"Place along the surface, from where it was wanted", "m", {{"tangent_error", "distance"}}, {}});
  result.plots.push_back(torque_plot(rig));
  result.replay = contact_replay(rig, setup.choice.stretched <= 0.0);
}

/// Friction of each joint: as it is, as told, as learnt.
NamedFigure friction_figure(const ArmRig& rig, const SensorlessRun& run) {
  const auto bars = [](const std::string& label, const VectorX& values, std::size_t style) {
    return Bars{label, {values.data(), values.data() + values.size()}, series_style(style), {}};
  };
  Panel panel;
  panel.x.label = "";
  panel.y.label = "Coulomb friction [N·m]";
  panel.y.include_zero = true;
  panel.categories = rig.plant.motor_joints();
  panel.bars = {bars("as it is", run.coulomb, 0), bars("as assumed", run.told, 1),
                bars("as used", run.friction.coulomb, 2)};
  Figure figure;
  figure.id = "sensorless-friction";
  figure.title = "Friction of each joint";
  figure.description =
      "Coulomb friction of each joint as it is in the simulation, as it was assumed and as it was used";
  figure.panels = {panel};
  return {figure.id, figure.title,
          "Coulomb friction of each joint. The assumed value is wrong by up to " +
              percent_text(worst_error(run.told, run.coulomb)) + ", used by up to " + percent_text(used_wrong(run)) +
              ".",
          draw_figure(figure)};
}

void tell(ExperimentResult& result, const SensorlessSetup& setup, const SensorlessRun& run) {
  const SensorlessOptions& control = setup.choice.control;
  const SensorlessFigures& f = run.figures;
  auto& findings = result.findings;
  if (run.refused) {
    findings.push_back("It refused to touch: with all joints at rest the force would be known to an sd of " +
                       force_text(run.sd_at_rest) + ", beyond " + percent_text(control.task.most_sd_share) +
                       " of the " + force_text(control.task.force) +
                       " that are wanted, or the pose is near a singular one.");
    return;
  }
  if (!run.finished) {
    const bool has_events = !run.events.empty();
    std::string why = "the simulation stopped";
    for (const TaskEvent& event : run.events) {
      if (event.phase == TaskPhase::retreat) why = in_words(event.reason);
    }
    findings.push_back(has_events ? "The task was given up: " + why + "." : "The task never began.");
  }
  if (f.samples == 0) return;
  findings.push_back("The true force is on average " + force_text(f.mean) + ", " + percent_text(f.within_one) +
                     " of it within 1 N of what was wanted, with no force sensor.");
  findings.push_back(
      "The stated interval of 95 % is ±" + force_text(1.96 * f.sd) + " wide on average and holds " +
      percent_text(f.coverage) + " of the cycles; the estimate's error is " + value_text(f.error_over_sd) +
      " of its sd. Cycles within one window (" +
      seconds_text(control.dither == Dither::rock ? 1.0 / control.rock.rock_frequency : control.estimator.window) +
      ") share their samples, and friction and bias are one draw for the whole run: one run "
      "gives the coverage roughly, the comparison over seeds gives it better.");
  if (setup.line.length <= 0.0 && control.dither == Dither::none && !control.has_joint_sensors) {
    findings.push_back("Nothing moves in this hold: friction at rest hides up to " + force_text(run.hidden) +
                       ", whatever the gains. Rocking (sensorless.dither=rock) or sliding shows it.");
  }
  if (!control.has_joint_sensors) {
    findings.push_back("The assumed friction was off by up to " + percent_text(worst_error(run.told, run.coulomb)) +
                       ", the friction that was used by up to " + percent_text(used_wrong(run)) + ".");
  }
  findings.push_back("It touched by " +
                     std::string(std::any_of(run.events.begin(), run.events.end(),
                                             [](const TaskEvent& e) { return e.reason == TaskReason::stalled; })
                                     ? "a stall"
                                     : "force") +
                     "; the largest force until it had settled is " + force_text(run.landing_peak) + ".");
}

std::vector<std::string> physics(const SensorlessSetup& setup) {
  std::vector<std::string> told = physics_of(setup.scene, setup.plant);
  const SensorlessChoice& choice = setup.choice;
  told.push_back("What the controller assumes is wrong, as drawn from the seed: friction by up to " +
                 percent_text(choice.stated_error) + ", the gripper's weight by " +
                 percent_text(std::abs(setup.plant.payload_error)) + ", motors' torque constants by up to " +
                 percent_text(choice.torque_constant_error) + ".");
  told.push_back("Noise of motor torques " + value_text(setup.plant.torque_noise) +
                 " N·m (wrists 0.4 of it), of joint velocities " + value_text(setup.plant.velocity_noise) +
                 " rad/s, which are low-passed at " + value_text(choice.velocity_filter) + "/s.");
  if (choice.control.has_joint_sensors) {
    told.push_back("Joint torque sensors measure the torque behind friction, with a bias of up to " +
                   value_text(choice.sensor_bias) + " N·m and a gain that is off by up to " +
                   percent_text(choice.sensor_gain) + "; the motor's inertia counts as in front of them.");
  }
  return told;
}

Variant row_of(const std::string& name, const SensorlessRun& run, bool is_main) {
  const SensorlessFigures& f = run.figures;
  return {name,
          {f.mean, 100.0 * f.within_one, kMilli * f.tangent_max, run.landing_peak, 100.0 * f.coverage, 1.96 * f.sd,
           f.error_over_sd, 100.0 * worst_error(run.told, run.coulomb), 100.0 * used_wrong(run)},
          is_main};
}

const std::vector<std::string> kHeads = {
    "mean [N]",       "within 1 N [%]", "off along the surface [mm]", "landing peak [N]",     "coverage [%]",
    "interval ± [N]", "error over sd",  "assumed friction off [%]",   "used friction off [%]"};

/// Other errors, contacts and lines; the last row is the worst of each column.
Comparison sweep(const SensorlessSetup& setup, const SensorlessRun& main, const Progress& progress) {
  Comparison table{"Other errors, contacts and lines", "", kHeads, {row_of("this run", main, true)}};
  constexpr double kFriction[] = {0.3, 0.7, 1.0}, kSolref[] = {0.004, 0.02};
  double worst_mean = 0.0;
  std::vector<double> worst;
  for (int i = 0; i < setup.choice.runs; ++i) {
    SensorlessSetup other = setup;
    other.seed = setup.seed + 1 + i;
    other.scene.friction = kFriction[i % 3];
    other.scene.solref = kSolref[i % 2];
    const bool is_y = (i / 2) % 2 == 1;
    if (is_y) other.direction = Vector3(-setup.direction.y(), setup.direction.x(), 0.0);
    std::string name = "seed " + std::to_string(other.seed) + ", friction " + value_text(other.scene.friction) +
                       ", solref " + value_text(other.scene.solref) + " s";
    if (setup.line.length > 0.0) name += is_y ? ", across" : ", along";
    ArmRig rig = make_sensorless_rig(other);
    const Variant row = row_of(name, run_sensorless(other, rig, nullptr, false), false);
    if (worst.empty()) worst = row.values;
    const double wanted = setup.choice.control.task.force;
    for (std::size_t column = 0; column < row.values.size(); ++column) {
      const double value = row.values[column];
      const bool is_share = column == 1 || column == 4;
      double& kept = worst[column];
      if (column == 0) {
        if (!(std::abs(value - wanted) <= worst_mean)) kept = value, worst_mean = std::abs(value - wanted);
      } else if (std::isnan(value) || (is_share ? value < kept : value > kept)) {
        kept = value;
      }
    }
    table.variants.push_back(row);
    if (progress) progress(static_cast<double>(i + 1) / setup.choice.runs);
  }
  if (!worst.empty()) table.variants.push_back({"worst of the seeds", worst});
  table.note = "Each seed draws its own errors of friction, payload, torque constants and its own noise.";
  return table;
}

/// The same errors with and without each part.
Comparison parts(const SensorlessSetup& setup, const SensorlessRun& main, const Progress& progress) {
  Comparison table{"What each part is worth, on this run's errors", "", kHeads, {row_of("this run", main, true)}};
  struct Part {
    const char* name;
    bool tares;
    Dither dither;
    bool has_joint_sensors;
  };
  constexpr Part kParts[] = {{"assumed friction, still", false, Dither::none, false},
                             {"tared, still", true, Dither::none, false},
                             {"assumed friction, rocking", false, Dither::rock, false},
                             {"tared, rocking", true, Dither::rock, false},
                             {"joint torque sensors, tared, still", true, Dither::none, true}};
  double done = 0.0;
  for (const Part& one : kParts) {
    SensorlessSetup other = setup;
    SensorlessOptions& control = other.choice.control;
    const bool is_same = control.tares == one.tares && control.dither == one.dither &&
                         control.has_joint_sensors == one.has_joint_sensors;
    control.tares = one.tares, control.dither = one.dither, control.has_joint_sensors = one.has_joint_sensors;
    done += 1.0 / static_cast<double>(std::size(kParts));
    if (is_same) continue;
    ArmRig rig = make_sensorless_rig(other);
    table.variants.push_back(row_of(one.name, run_sensorless(other, rig, nullptr, false), false));
    if (progress) progress(done);
  }
  table.note = setup.line.length > 0.0
                   ? "“Still” is without rocking: the line itself moves most joints."
                   : "A still hold has no band: friction at rest hides what the motors do not show.";
  return table;
}

ExperimentResult run(const RunRequest& request, Dither dither, bool has_line) {
  Request asked = setup_of(request, dither, has_line);
  SensorlessSetup& setup = asked.setup;
  ArmRig rig = make_sensorless_rig(setup);
  const bool compares = request.compares();
  const SensorlessRun main = run_sensorless(setup, rig, part_of(request.progress, 0.0, compares ? 0.1 : 1.0), true);
  ExperimentResult result;
  result.settings = std::move(asked.settings);
  result.physics = physics(setup);
  describe(result, setup, rig, main);
  add_metrics(result, setup, main);
  tell(result, setup, main);
  if (!setup.choice.control.has_joint_sensors && !main.refused) result.figures.push_back(friction_figure(rig, main));
  if (compares) {
    result.comparisons.push_back(sweep(setup, main, part_of(request.progress, 0.1, 0.6)));
    result.comparisons.push_back(parts(setup, main, part_of(request.progress, 0.6, 1.0)));
  }
  result.remarks.emplace_back(
      "Friction of this plant is elastic and then slides, and keeps its torque at rest. MuJoCo's own frictionloss "
      "creeps: on it a still hold looks perfect, and proves nothing.");
  result.remarks.emplace_back(
      "Friction of load, speed (Stribeck) and temperature, delay and soft surfaces were not tried, and no real arm.");
  return result;
}

}  // namespace

const OptionTable& options_of(const SensorlessChoice&) {
  constexpr const char* kSetup = "docs/concepts/control.md#what-it-reaches";
  using O = SensorlessChoice;
  static const OptionTable table(
      "sensorless",
      {
          option("stated_error", "1", "largest error of each joint's assumed Coulomb friction, as a share", kSetup,
                 &O::stated_error, kBelowOne),
          option("payload_share", "1",
                 "most by which the gripper is held too heavy or too light, unless plant.payload_error is set", kSetup,
                 &O::payload_error, kBelowOne),
          option("torque_constant_error", "1", "most by which a motor gives more or less than commanded, as a share",
                 kSetup, &O::torque_constant_error, kBelowOne),
          option("sensor_bias", "N·m", "most of each joint torque sensor", kSetup, &O::sensor_bias),
          option("sensor_gain", "1", "most of each joint torque sensor's error of gain", kSetup, &O::sensor_gain,
                 kBelowOne),
          option("start_height", "m", "of the tool above home, where the tare is made", "35 mm above the assumed table",
                 &O::start_height, Range{0.0, 0.1}),
          option("velocity_filter", "1/s", "low-pass of the sensed velocities, as arms have one; 0: none",
                 "twice the motion's stiffest frequency", &O::velocity_filter),
          option("hold_time", "s", "pressing at rest", kSetup, &O::hold_time, kPositive),
          option("stretched", "rad", "elbow of an arm that reaches out against a wall across; 0: home, and the table",
                 kSetup, &O::stretched, Range{0.0, 2.0}),
          option("runs", "1", "of the comparison, each with other errors, contacts and lines", kSetup, &O::runs,
                 Range{0.0, 1000.0}),
          part(&O::control),
      });
  return table;
}
const OptionGroup kSensorlessGroup(SensorlessChoice{});

ExperimentResult run_sensorless_hold(const RunRequest& request) {
  ExperimentResult result = run(request, Dither::rock, false);
  result.title = "Hold a force without a force sensor";
  result.question =
      "The pads press the table with a constant force, known from the motors' torques alone. A joint at rest hides any "
      "force below its friction: can a rocking of 1 mrad show it?";
  return result;
}

ExperimentResult run_sensorless_trace(const RunRequest& request) {
  ExperimentResult result = run(request, Dither::none, true);
  result.title = "Trace a line without a force sensor";
  result.question =
      "The pads slide along the table while they press it with a constant force that is known from the motors' torques "
      "alone, after friction was learnt in the air.";
  return result;
}

}  // namespace antaeus
