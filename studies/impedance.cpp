// Stiffness presets, directions and damping laws under a push; the studies are in impedance_studies.cpp.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "antaeus/core/option_table.hpp"
#include "studies/impedance_run.hpp"
#include "studies/runs.hpp"

namespace antaeus {

namespace {

constexpr double kPause = 3.0;  // [s] after the short push
constexpr double kRest = 1e-6;  // [rad/s] of the joints: the lasting push has come to rest
constexpr double kDegrees = 180.0 / std::numbers::pi;

struct Preset {
  double stiffness;  // [N/m]
  double peak;       // the force-control lab's, docs/references.md [m]
};
constexpr std::array<Preset, 3> kPresets{{{100.0, 0.104}, {500.0, 0.043}, {2000.0, 0.017}}};
constexpr double kSourceForce = 40.0, kSourcePush = 0.25;

/// The lab's peak, where the run has its stiffness and the push that was fitted to it; else NaN.
double source_peak(const ImpedanceChoice& choice, const PlantChoice& plant) {
  if (choice.force != kSourceForce || choice.duration != kSourcePush || plant.joint_damping != 1.0) return kNaN;
  for (const Preset& preset : kPresets) {
    if (choice.stiffness == preset.stiffness && choice.damping == 0.0) return preset.peak;
  }
  return kNaN;
}

double percent(double value, double reference) { return 100.0 * (value / reference - 1.0); }

Comparison preset_table(ArmRig& rig, const ImpedanceChoice& choice, std::vector<std::string>& findings) {
  Comparison table;
  table.title = "Stiffness presets under " + value_text(choice.force) + " N";
  table.note =
      "The force-control lab states neither how long it pushed nor its damping. Its figures are no steady states: "
      "with " +
      value_text(choice.duration) + " s of push and a damping of 6.2 √K they are the peaks.";
  table.heads = {"D [N·s/m]", "peak [mm]",           "lab [mm]",        "peak off [%]", "at rest [mm]",
                 "F/K [mm]",  "at rest off F/K [%]", "largest turn [°]"};
  double worst_peak = 0.0, worst_steady = 0.0;
  for (const Preset& preset : kPresets) {
    const CartesianImpedanceOptions options =
        given_impedance(preset.stiffness, source_damping(preset.stiffness), choice.rotational_stiffness);
    const PushAnswer answer = push_and_watch(rig, options, choice, Vector3::UnitX(), nullptr);
    const double wanted = choice.force / preset.stiffness;
    worst_peak = std::max(worst_peak, std::abs(percent(answer.peak, preset.peak)));
    worst_steady = std::max(worst_steady, std::abs(percent(answer.steady, wanted)));
    table.variants.push_back(
        {value_text(preset.stiffness) + " N/m",
         {options.damping, 1e3 * answer.peak, 1e3 * preset.peak, percent(answer.peak, preset.peak), 1e3 * answer.steady,
          1e3 * wanted, percent(answer.steady, wanted), kDegrees * answer.peak_rotation},
         preset.stiffness == choice.stiffness});
  }
  findings.push_back(
      "Under a lasting push the arm rests at F/K within " + value_text(worst_steady) +
      " % at 100, 500 and 2000 N/m. The force-control lab's 104, 43 and 17 mm are peaks of a short push: " +
      value_text(choice.duration) + " s of " + value_text(choice.force) + " N give them within " +
      value_text(worst_peak) + " %.");
  return table;
}

Comparison direction_table(ArmRig& rig, const ImpedanceChoice& choice, std::vector<std::string>& findings) {
  Comparison table;
  table.title = "100 N/m, pushed along each axis";
  table.note = "Where F/K lies outside of the arm's reach, the arm stretches out and carries the rest in its bones.";
  table.heads = {"at rest [mm]", "F/K [mm]", "at rest off F/K [%]", "near a singular pose"};
  const double wanted = choice.force / kPresets[0].stiffness;
  const CartesianImpedanceOptions options =
      given_impedance(kPresets[0].stiffness, source_damping(kPresets[0].stiffness), choice.rotational_stiffness);
  std::string found;
  for (const auto& [name, axis] : {std::pair("+x", Vector3(1.0, 0.0, 0.0)), std::pair("+y", Vector3(0.0, 1.0, 0.0)),
                                   std::pair("+z", Vector3(0.0, 0.0, 1.0))}) {
    const PushAnswer answer = push_and_watch(rig, options, choice, axis, nullptr);
    table.variants.push_back(
        {name,
         {1e3 * answer.steady, 1e3 * wanted, percent(answer.steady, wanted), answer.is_near_singular ? 1.0 : 0.0}});
    found += std::string(found.empty() ? "" : ", ") + value_text(1e3 * answer.steady) + " mm along " + name;
  }
  findings.push_back("At 100 N/m the spring asks for " + value_text(1e3 * wanted) + " mm; the arm gives " + found +
                     ": where it falls short its reach ends, not the controller.");
  return table;
}

Comparison damping_table(ArmRig& rig, const ImpedanceChoice& choice, std::vector<std::string>& findings) {
  Comparison table;
  table.title = "Damping by design, " + value_text(choice.stiffness) + " N/m";
  table.note = "A lasting push from rest. A damping ratio is shaped by the masses at each instant.";
  table.heads = {"peak of the short push [mm]", "overshoot [%]", "within 2 % after [s]", "largest turn [°]"};
  const double given = choice.damping > 0.0 ? choice.damping : source_damping(choice.stiffness);
  const auto add = [&](const std::string& name, const CartesianImpedanceOptions& options) {
    const PushAnswer answer = push_and_watch(rig, options, choice, Vector3::UnitX(), nullptr);
    table.variants.push_back(
        {name, {1e3 * answer.peak, 100.0 * answer.overshoot, answer.settling, kDegrees * answer.peak_rotation}});
    return answer;
  };
  const CartesianImpedanceOptions plain = given_impedance(choice.stiffness, given, choice.rotational_stiffness);
  const PushAnswer source = add("given: " + value_text(given) + " N·s/m, 5 N·m·s/rad", plain);
  CartesianImpedanceOptions shaped = plain;
  shaped.damping_law = DampingLaw::ratio;
  const PushAnswer critical = add("damping ratio 1", shaped);
  shaped.damping_ratio = 0.7;
  add("damping ratio 0.7", shaped);
  findings.push_back("Damping shaped by the masses (ratio 1) overshoots by " + value_text(100.0 * critical.overshoot) +
                     " % and is within 2 % after " + value_text(critical.settling) + " s; the given " +
                     value_text(given) + " N·s/m by " + value_text(100.0 * source.overshoot) + " % and after " +
                     value_text(source.settling) + " s.");
  return table;
}

}  // namespace

const OptionTable& options_of(const ImpedanceChoice&) {
  using O = ImpedanceChoice;
  static const OptionTable table(
      "impedance", {
                       option("stiffness", "N/m", "of the tool's position",
                              "docs/references.md#the-force-control-lab, middle preset", &O::stiffness, kPositive),
                       option("force", "N", "of the push, along world x at the fingertip",
                              "docs/references.md#the-force-control-lab", &O::force, kPositive),
                       option("duration", "s", "of the short push, whose peak is reported",
                              "fitted: the lab states none", &O::duration, Range{0.01, 10.0}),
                       option("damping", "N·s/m", "of the tool's position; 0: 6.2 √K, which gives the lab's peaks",
                              "fitted: the lab states none", &O::damping),
                       option("rotational_stiffness", "N·m/rad", "of the tool's orientation",
                              "docs/validation.md#controllers", &O::rotational_stiffness, kPositive),
                       option("lasting", "s", "longest time of the lasting push; it ends at rest",
                              "long enough to come to rest", &O::lasting, Range{0.5, 120.0}),
                       option("compare", "", "whether stiffnesses, directions, frequencies and laws are compared too",
                              "our choice", &O::compare),
                   });
  return table;
}
const OptionGroup kImpedanceGroup(ImpedanceChoice{});

double source_damping(double stiffness) { return 6.2 * std::sqrt(stiffness); }

CartesianImpedanceOptions given_impedance(double stiffness, double damping, double rotational_stiffness) {
  CartesianImpedanceOptions options;
  options.stiffness = stiffness;
  options.rotational_stiffness = rotational_stiffness;
  options.damping_law = DampingLaw::given;
  options.damping = damping;
  options.rotational_damping = 5.0;
  return options;
}

std::vector<SampleLog::Head> push_heads() {
  return {{"deflection", "m", "of the fingertip along the push"},
          {"turn", "rad", "of the fingertip from its target"},
          {"push", "N", "the environment on the robot, along world x at the fingertip"},
          {"spring", "N", "what the impedance does to the world along world x"},
          {"x", "m", "of the fingertip, world axes"},
          {"y", "m", "of the fingertip, world axes"},
          {"z", "m", "of the fingertip, world axes"},
          {"push_x", "N", "the push in world axes"},
          {"push_y", "N", "the push in world axes"},
          {"push_z", "N", "the push in world axes"},
          {"target_x", "m", "of the fingertip, world axes"},
          {"target_y", "m", "of the fingertip, world axes"},
          {"target_z", "m", "of the fingertip, world axes"}};
}

PushAnswer push_and_watch(ArmRig& rig, const CartesianImpedanceOptions& options, const ImpedanceChoice& choice,
                          const Vector3& direction, SampleLog* log) {
  CartesianImpedance control(rig.told, options);
  ToolDynamics tool(rig.told, ArmRig::kTool);
  rig.reset();
  const CartesianTarget target{.X_WT = tool.at(rig.home, VectorX::Zero(rig.home.size())).X_WT};
  PushAnswer answer;
  std::vector<double> lasting;  // deflections
  const double h = rig.plant.time_step();
  const double begins = choice.duration + kPause, ends = begins + choice.lasting;
  for (int step = 0; step * h < ends; ++step) {
    const double time = step * h;
    const bool is_lasting = time >= begins;
    const Vector3 push = (is_lasting || time < choice.duration ? choice.force : 0.0) * direction;
    const ToolState& now = tool.at(rig.plant.reading().q, rig.plant.reading().v);
    const CartesianTorque& given = control.update(now, target);
    const double deflection = -given.error.head<3>().dot(direction), turn = given.error.tail<3>().norm();
    if (is_lasting) {
      lasting.push_back(deflection);
      answer.is_near_singular = now.is_near_singular;
    } else {
      answer.peak = std::max(answer.peak, deflection);
    }
    answer.peak_rotation = std::max(answer.peak_rotation, turn);
    if (log != nullptr && step % kStepsASample == 0) {
      std::vector<double> row = {time};
      const VectorX q = true_positions(rig);
      row.insert(row.end(), q.begin(), q.end());
      row.insert(row.end(), {deflection, turn, push.x(), given.commanded.force.x()});
      for (const Vector3& three : {now.X_WT.translation, push, target.X_WT.translation}) {
        row.insert(row.end(), three.begin(), three.end());
      }
      log->add(row);
    }
    answer.speed_end = now.v.norm();
    if (lasting.size() > 1000 && answer.speed_end < kRest) break;
    rig.plant.push({push, Vector3::Zero()});
    rig.plant.step(given.tau);
  }
  rig.plant.push({});
  answer.steady = lasting.back();
  for (std::size_t i = 0; i < lasting.size(); ++i) {
    const double beyond = lasting[i] / answer.steady - 1.0;
    answer.overshoot = std::max(answer.overshoot, beyond);
    if (std::abs(beyond) > 0.02) answer.settling = static_cast<double>(i + 1) * h;
  }
  return answer;
}

ExperimentResult run_impedance(const RunRequest& request) {
  const auto scene = request.settings.get<SceneChoice>();
  PlantChoice source;
  source.joint_damping = 1.0;
  const auto plant = request.settings.get<PlantChoice>(source);
  const auto choice = request.settings.get<ImpedanceChoice>();
  check_options(choice);
  ExperimentResult result;
  result.title = "Impedance: how far does a push move the arm?";
  result.question = "A spring of " + value_text(choice.stiffness) + " N/m at the fingertip; " +
                    value_text(choice.force) + " N along world x push it, first for " + value_text(choice.duration) +
                    " s, then for good.";
  result.physics = physics_of(scene, plant, false);
  result.physics.emplace_back("The push acts at the fingertip, not at the wrist's centre of mass.");

  ArmRig rig = make_rig(scene, plant, request.seed, false);
  const double damping = choice.damping > 0.0 ? choice.damping : source_damping(choice.stiffness);
  const CartesianImpedanceOptions options = given_impedance(choice.stiffness, damping, choice.rotational_stiffness);
  SampleLog log(arm_heads(rig, push_heads()));
  const PushAnswer main = push_and_watch(rig, options, choice, Vector3::UnitX(), &log);
  request.tell(0.15);

  const double wanted = choice.force / choice.stiffness, known = source_peak(choice, plant);
  Metric peak{"peak", main.peak, "m", "largest deflection by " + value_text(choice.duration) + " s of push"};
  peak.source = known;
  if (!std::isnan(known)) {
    peak.lower = 0.95 * known;
    peak.upper = 1.05 * known;
  }
  Metric steady{"steady", main.steady, "m", "deflection under the lasting push, at rest"};
  if (main.is_near_singular) {
    result.remarks.push_back("F/K is " + value_text(1e3 * wanted) +
                             " mm, out of the arm's reach: it is stretched out, and no criterion is set.");
  } else {
    steady.lower = 0.995 * wanted;
    steady.upper = 1.005 * wanted;
  }
  result.metrics = {{"stiffness", choice.force / main.steady, "N/m", "the push over the deflection at rest"},
                    peak,
                    steady,
                    {"steady_error", percent(main.steady, wanted) / 100.0, "1", "of that deflection against F/K"},
                    {"damping", damping, "N·s/m", "of the tool's place, as used"},
                    {"turn_max", main.peak_rotation, "rad", "largest turn of the fingertip"}};
  result.findings.push_back("With " + value_text(choice.stiffness) + " N/m and " + value_text(damping) + " N·s/m, " +
                            value_text(choice.force) + " N move the fingertip by " + value_text(1e3 * main.peak) +
                            " mm in " + value_text(choice.duration) + " s, and by " + value_text(1e3 * main.steady) +
                            " mm if they last; F/K is " + value_text(1e3 * wanted) + " mm.");
  if (choice.compare) {
    result.comparisons.push_back(preset_table(rig, choice, result.findings));
    request.tell(0.35);
    result.comparisons.push_back(damping_table(rig, choice, result.findings));
    request.tell(0.45);
    result.comparisons.push_back(direction_table(rig, choice, result.findings));
    request.tell(0.6);
    int done = 0;
    const auto add = [&](Study study) {
      result.comparisons.push_back(std::move(study.table));
      result.figures.push_back(std::move(study.figure));
      for (std::string& finding : study.findings) result.findings.push_back(std::move(finding));
      request.tell(0.6 + 0.13 * ++done);
    };
    add(frequency_study(rig, options, plant.joint_damping));
    add(rotation_study(rig));
    add(stiff_position_study(scene, request.seed));
  }
  result.samples = log.table();
  result.plots = {{"Deflection along the push", "m", {{"deflection", "deflection"}}, {wanted}},
                  {"Push and spring", "N", {{"push", "push"}, {"spring", "impedance on the world"}}, {}},
                  {"Turn of the fingertip", "rad", {{"turn", "turn"}}, {}}};
  result.phases = {{0.0, "push", "the short push of " + value_text(choice.duration) + " s begins"},
                   {choice.duration, "release", "the push ends"},
                   {choice.duration + kPause, "lasting push", "the same push, until the arm rests"}};
  result.replay = arm_replay(rig, false);
  result.replay.force = {"push_x", "push_y", "push_z"};
  result.replay.place = {"x", "y", "z"};
  result.replay.wanted = {"target_x", "target_y", "target_z"};
  add_settings(result, request, scene, plant, choice);
  request.tell(1.0);
  return result;
}

}  // namespace antaeus
