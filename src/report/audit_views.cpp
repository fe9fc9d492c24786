// The linked views of an audit: every number is one of its arrays, read when the page is written.
#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "audit/audit_shared.hpp"
#include "audit/step_columns.hpp"
#include "report/audit_sections.hpp"
#include "report/audit_series.hpp"

namespace antaeus::detail {

namespace {

using Bin = Channel::Bin;

constexpr std::size_t kFirstJoints = 3;  ///< that are chosen at first
constexpr double kArrow = 0.5;           ///< [m] of the focus force
constexpr double kMetersPerSd = 0.01;    ///< the same in every report, so that they can be compared

template <NamedEnum Enum, class Words>
std::vector<std::string> words_of(Words&& words) {
  std::vector<std::string> list;
  for (std::size_t i = 0; i < enum_names(Enum{}).size(); ++i) list.push_back(words(static_cast<Enum>(i)));
  return list;
}
template <NamedEnum Enum>
std::vector<std::string> plain_words() {
  return words_of<Enum>([](auto value) { return in_words(to_string(value)); });
}

class AuditViews {
 public:
  explicit AuditViews(const Audit& audit) : audit_(audit), r_(audit.audited.reconstruction) {}

  Views make(std::shared_ptr<const MeshFiles> meshes) {
    runs();
    selectors();
    robot(std::move(meshes));
    for (std::size_t i = 0; i < hands_.size(); ++i) endpoint(static_cast<int>(i), *hands_[i]);
    joint_panels();
    leg_panels();
    whole_baselines();
    note();
    return std::move(views_);
  }

 private:
  // --- What the rows are --------------------------------------------------------------------------------------------

  void runs() {
    const auto run = [&](const EpisodeAudit& e, Eigen::Index first) {
      views_.runs.push_back(
          {e.episode.name, e.episode.steps(), first, e.episode.has_time() ? e.episode.time : VectorX()});
    };
    run(audit_.audited, r_.first_step);
    for (const EpisodeAudit& baseline : audit_.baselines) run(baseline, baseline.reconstruction.first_step);
    if (!audit_.baselines.empty()) views_.comparisons_name = "Baselines";
    if (audit_.focus_step >= 0) {
      views_.focus = row_of(audit_, audit_.focus_step);
      views_.focus_name = audit_.incident ? "Incident" : "Largest force";
    }
  }

  void selectors() {
    Selector endpoint{"endpoint", "endpoint", {}, {0}, false};
    for (const EstimateSeries& s : r_.series) {
      if (s.estimator != EstimatorName::deployed || !s.consumed) continue;
      if (s.endpoint == audit_.focus_endpoint) endpoint.chosen = {static_cast<int>(hands_.size())};
      hands_.push_back(&s);
      endpoint.options.push_back(label_of(s));
    }
    Selector joints{"joints", "joint", audit_.motor_labels, first_joints(), true};
    views_.selectors = {std::move(endpoint), std::move(joints)};
    const Eigen::Index motors = audit_.audited.episode.q.cols();
    for (Eigen::Index m = 0; m < motors; ++m) {
      q_.push_back(column(audit_.audited.episode.q, m, Bin::one_row));
      residual_.push_back(column(r_.residual, m));
    }
  }

  /// The reference joint and those that add most at the focus step.
  std::vector<int> first_joints() const {
    std::vector<int> chosen, order;
    if (r_.reference_motor >= 0) chosen.push_back(r_.reference_motor);
    const Eigen::Index row = views_.focus < 0 ? 0 : views_.focus;
    const EstimateSeries* focus = series_of(audit_.audited, audit_.focus_endpoint, EstimatorName::deployed);
    for (int m = 0; m < static_cast<int>(audit_.motor_labels.size()); ++m) order.push_back(m);
    const EstimateSeries::Contribution* parts = focus ? &focus->contribution[main_axis(*focus)] : nullptr;
    if (parts && parts->rows() > row) {
      const auto part = [&](int m) {
        const float value = std::abs((*parts)(row, m));
        return std::isfinite(value) ? value : 0.0F;
      };
      std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return part(a) > part(b); });
    }
    for (const int m : order) {
      if (chosen.size() < kFirstJoints && std::find(chosen.begin(), chosen.end(), m) == chosen.end())
        chosen.push_back(m);
    }
    return chosen;
  }

  // --- Channels -----------------------------------------------------------------------------------------------------

  /// One channel for one array, however many views show it: a log is read once, and its numbers stand once in the page.
  template <class Value>
  ChannelId once(const void* array, const void* reader, Eigen::Index c, Bin bin, int run, Value&& value) {
    const auto [entry, fresh] = known_.try_emplace({array, reader, c, bin, run}, kNoChannel);
    if (fresh) entry->second = views_.add(std::forward<Value>(value), bin, run);
    return entry->second;
  }
  template <class Matrix>
  ChannelId column(const Matrix& matrix, Eigen::Index c, Bin bin = Bin::extremes, int run = 0) {
    return once(&matrix, nullptr, c, bin, run,
                [&matrix, c](Eigen::Index row) { return static_cast<double>(matrix(row, c)); });
  }
  ChannelId vector(const VectorX& values, int run = 0) {
    return once(&values, nullptr, 0, Bin::extremes, run, [&values](Eigen::Index row) { return values[row]; });
  }
  template <class Code>
  ChannelId codes(const std::vector<Code>& values) {
    return once(&values, nullptr, 0, Bin::largest, 0,
                [&values](Eigen::Index row) { return static_cast<double>(values[static_cast<std::size_t>(row)]); });
  }
  /// A column of steps.csv by its name (step_columns.hpp).
  ChannelId named(const Reconstruction& r, const EstimateSeries& series, const char* name, int run = 0) {
    const StepNumber& read = step_number(name);
    return once(&series, &read, 0, Bin::extremes, run,
                [&r, &series, &read](Eigen::Index row) { return read(StepOfSeries{r, series, row}); });
  }

  /// One line a baseline, where it has that series.
  template <class Pick>
  void compare(std::vector<Line>& lines, const EstimateSeries& hand, EstimatorName estimator, Pick&& pick) {
    for (std::size_t i = 0; i < audit_.baselines.size(); ++i) {
      const EpisodeAudit& baseline = audit_.baselines[i];
      const EstimateSeries* other = series_of(baseline, hand.endpoint, estimator);
      if (!other || (estimator == EstimatorName::posterior && !other->posterior)) continue;
      lines.push_back({.name = baseline.episode.name,
                       .channel = pick(baseline.reconstruction, *other, static_cast<int>(i) + 1),
                       .dashed = true});
    }
  }

  // --- Panels of one endpoint ---------------------------------------------------------------------------------------

  /// The component that is largest at the focus: what is shown of a force at first. Fz where nothing is known.
  int main_axis(const EstimateSeries& hand) const {
    return largest_component(hand, views_.focus < 0 ? 0 : views_.focus);
  }

  void endpoint(int option, const EstimateSeries& hand) {
    const Conditions here = {{0, option}};
    const EstimateSeries* posterior = series_of(audit_.audited, hand.endpoint, EstimatorName::posterior);
    if (posterior && !posterior->posterior) posterior = nullptr;
    std::array<ChannelId, 3> force{};
    for (int c = 0; c < 3; ++c) force[static_cast<std::size_t>(c)] = column(hand.wrench, c);
    const ChannelId size = vector(hand.force_norm);
    force_panel(hand, here, force, size);
    if (posterior) posterior_panels(hand, *posterior, here, force);
    if (hand.reference_gain.rows() > 0 && r_.reference_motor >= 0) {
      single(hand, here, "gain", "Gain: Fz per torque of " + reference_label(), "N/(N·m)", "gain", "reference_gain_Fz");
    }
    single(hand, here, "kappa", "Condition number κ", "", "κ", "kappa");
    single(hand, here, "sigma", "Smallest singular value σ", "", "σ min", "sigma_min");
    guard_panel(hand, here);
    bars(hand, here, force);
    scene_of(hand, posterior, here, force);
    readings(hand, posterior, here, force, size);
  }

  void force_panel(const EstimateSeries& hand, const Conditions& here, const std::array<ChannelId, 3>& force,
                   ChannelId size) {
    ViewPanel panel{.id = "force",
                    .title = "Force at the " + label_of(hand) + ": " + sign_in_words(hand.sign),
                    .unit = "N",
                    .when = here};
    const int main = main_axis(hand);
    panel.lines = {{.name = "|F|", .channel = size, .wide = true},
                   {.name = "Fx", .channel = force[0], .tone = Tone::green, .shown = main == 0},
                   {.name = "Fy", .channel = force[1], .tone = Tone::orange, .shown = main == 1},
                   {.name = "Fz", .channel = force[2], .tone = Tone::vermillion, .shown = main == kFz}};
    if (hand.guarded_force.rows() > 0) {
      const SampleMatrix& behind = hand.guarded_force;
      const ChannelId norm = views_.add([&behind](Eigen::Index row) { return behind.row(row).norm(); });
      panel.lines.push_back({.name = "|F| behind guards", .channel = norm, .tone = Tone::blue});
    }
    if (const EstimateSeries* stacked = series_of(audit_.audited, hand.endpoint, EstimatorName::stacked)) {
      panel.lines.push_back({.name = axis_name(main) + " stacked",
                             .channel = column(stacked->wrench, main),
                             .tone = Tone::purple,
                             .shown = false});
    }
    compare(panel.lines, hand, EstimatorName::deployed,
            [&](const Reconstruction&, const EstimateSeries& s, int run) { return vector(s.force_norm, run); });
    views_.panels.push_back(std::move(panel));
  }

  void posterior_panels(const EstimateSeries& hand, const EstimateSeries& posterior, const Conditions& here,
                        const std::array<ChannelId, 3>& deployed) {
    const PosteriorTrace& trace = *posterior.posterior;
    ViewPanel number{.id = "posterior",
                     .title = "Posterior at the " + label_of(hand) + ", ± one sd shaded",
                     .unit = "N",
                     .when = here};
    constexpr Tone kTones[] = {Tone::green, Tone::orange, Tone::blue};
    const int main = main_axis(hand);
    for (const int c : {main, (main + 1) % 3, (main + 2) % 3}) {
      number.lines.push_back({.name = axis_name(c),
                              .channel = column(posterior.wrench, c),
                              .sd = column(trace.sd, c),
                              .tone = kTones[c],
                              .wide = c == main,
                              .shown = c == main});
    }
    const std::string name = axis_name(main);
    number.lines.push_back({.name = name + " behind its guard",
                            .channel = column(posterior.guarded_force, main),
                            .tone = Tone::green,
                            .dashed = true});
    number.lines.push_back({.name = name + " " + as_deployed(audit_),
                            .channel = deployed[static_cast<std::size_t>(main)],
                            .tone = Tone::vermillion,
                            .scales = false});
    views_.panels.push_back(std::move(number));
    states_panel(posterior, here);

    ViewPanel nis{
        .id = "nis",
        .title = "NIS: above its limit the torques contradict every contact within the prior",
        .lines = {{.name = "NIS", .channel = vector(trace.nis), .wide = true},
                  {.name = "limit", .channel = vector(trace.nis_threshold), .tone = Tone::vermillion, .dashed = true}},
        .logarithmic = true,
        .when = here};
    if (trace.first_alarm >= 0) {
      nis.marks = {{trace.first_alarm, "first test alarm, step " + std::to_string(r_.first_step + trace.first_alarm)}};
    }
    compare(nis.lines, hand, EstimatorName::posterior,
            [&](const Reconstruction&, const EstimateSeries& s, int run) { return vector(s.posterior->nis, run); });
    views_.panels.push_back(std::move(nis));

    ViewPanel worst{.id = "worst-sd",
                    .title = "Sd of the force in the direction of which least is known",
                    .unit = "N",
                    .lines = {{.name = "worst sd", .channel = vector(trace.worst_sd), .wide = true}},
                    .detail = true,
                    .when = here};
    compare(worst.lines, hand, EstimatorName::posterior, [&](const Reconstruction&, const EstimateSeries& s, int run) {
      return vector(s.posterior->worst_sd, run);
    });
    views_.panels.push_back(std::move(worst));

    ViewPanel bias{.id = "bias",
                   .title = "Smallest torque error that a test finds, contacts within the prior",
                   .unit = "N·m",
                   .logarithmic = true,
                   .detail = true,
                   .when = here};
    for (std::size_t i = 0; i < trace.rows.size(); ++i) {
      bias.lines.push_back(joint_line(trace.rows[i], column(trace.detectable_bias, static_cast<Eigen::Index>(i))));
    }
    views_.panels.push_back(std::move(bias));
  }

  void states_panel(const EstimateSeries& posterior, const Conditions& here) {
    ViewPanel panel{.id = "states", .title = "The posterior’s guard", .when = here};
    const ChannelId state = codes(posterior.posterior->state);
    for (int lane = 2; lane >= 0; --lane) {
      // Lane by lane; whatever is worse than refused counts as refused.
      std::vector<bool> filled;
      std::vector<std::string> words;
      for (const Verdict verdict : all_values<Verdict>()) {
        filled.push_back(state_lane(verdict) == lane);
        words.emplace_back(filled.back() ? "now" : "");
      }
      panel.lanes.push_back(
          {kStateNames[lane], state, std::move(words), std::move(filled), state_word(static_cast<Verdict>(lane)).tone});
    }
    for (const GuardInterval& interval : guard_timeline(posterior, r_.first_step)) {
      const int lane = state_lane(interval.state);
      const std::string reasons = reasons_in_words(interval.because);
      panel.texts.push_back({interval.from - r_.first_step, interval.to - r_.first_step, 2 - lane, reasons,
                             std::string(kStateNames[lane]) + " from step " + std::to_string(interval.from) + " to " +
                                 std::to_string(interval.to) + (reasons.empty() ? "" : ": " + reasons) + ". The " +
                                 reader_word(audit_) + " reads " + action_in_words(interval.action) + "."});
    }
    views_.panels.push_back(std::move(panel));
  }

  void single(const EstimateSeries& hand, const Conditions& here, const char* id, std::string title, const char* unit,
              const char* name, const char* column_name) {
    ViewPanel panel{.id = id,
                    .title = std::move(title),
                    .unit = unit,
                    .lines = {{.name = name, .channel = named(r_, hand, column_name)}},
                    .detail = true,
                    .when = here};
    compare(panel.lines, hand, EstimatorName::deployed,
            [&](const Reconstruction& r, const EstimateSeries& s, int run) { return named(r, s, column_name, run); });
    views_.panels.push_back(std::move(panel));
  }

  void guard_panel(const EstimateSeries& hand, const Conditions& here) {
    if (hand.guards.empty()) return;
    ViewPanel panel{
        .id = "guards", .title = "Each published guard alone: filled where it would act", .detail = true, .when = here};
    std::vector<bool> acts;
    for (const GuardAction action : all_values<GuardAction>()) {
      acts.push_back(action != GuardAction::passed && action != GuardAction::no_input);
    }
    std::size_t n = 0;
    for (const GuardTrace& guard : hand.guards) {
      panel.lanes.push_back({in_words(to_string(guard.guard)), codes(guard.action), plain_words<GuardAction>(), acts,
                             series_style(n++).tone});
    }
    views_.panels.push_back(std::move(panel));
  }

  // --- Joints -------------------------------------------------------------------------------------------------------

  std::string reference_label() const {
    return r_.reference_motor < 0 ? "" : audit_.motor_labels[static_cast<std::size_t>(r_.reference_motor)];
  }
  Line joint_line(int motor, ChannelId channel, const char* suffix = "") const {
    return {.name = audit_.motor_labels[static_cast<std::size_t>(motor)] + suffix,
            .channel = channel,
            .follows_choice = true,
            .when = {{1, motor}}};
  }

  void joint_panels() {
    const Episode& episode = audit_.audited.episode;
    const int motors = static_cast<int>(audit_.motor_labels.size());
    ViewPanel residual{.id = "residual", .title = "Residual, torque beyond gravity", .unit = "N·m"};
    ViewPanel tau{.id = "tau", .title = "Motor torque", .unit = "N·m", .detail = true};
    ViewPanel target{.id = "target", .title = "Position (line) and target (dashes)", .unit = "rad", .detail = true};
    for (int m = 0; m < motors; ++m) {
      residual.lines.push_back(joint_line(m, residual_[static_cast<std::size_t>(m)]));
      if (episode.tau.rows() > 0) tau.lines.push_back(joint_line(m, column(episode.tau, m)));
      if (episode.q.rows() > 0) target.lines.push_back(joint_line(m, column(episode.q, m)));
      if (episode.target.rows() > 0) {
        target.lines.push_back(joint_line(m, column(episode.target, m), " target"));
        target.lines.back().dashed = true;
      }
    }
    if (r_.reference_motor >= 0) {
      for (std::size_t i = 0; i < audit_.baselines.size(); ++i) {
        residual.lines.push_back(
            {.name = reference_label() + ", " + audit_.baselines[i].episode.name,
             .channel = vector(audit_.baselines[i].reconstruction.reference_residual, static_cast<int>(i) + 1),
             .dashed = true});
      }
    }
    // The residual explains the force: it stands with what is open at first.
    const auto detail =
        std::find_if(views_.panels.begin(), views_.panels.end(), [](const ViewPanel& p) { return p.detail; });
    views_.panels.insert(detail, std::move(residual));
    views_.panels.push_back(std::move(tau));
    views_.panels.push_back(std::move(target));
  }

  // --- Legs, and baselines in full -----------------------------------------------------------------------------------

  /// Each leg: position less target, torque, and target next to those of the baselines.
  void leg_panels() {
    std::vector<std::string> seen;
    for (const Endpoint& foot : audit_.endpoints) {
      if (foot.kind != EndpointKind::foot || foot.group.empty()) continue;
      if (std::find(seen.begin(), seen.end(), foot.group) != seen.end()) continue;
      seen.push_back(foot.group);
      for (const JointGroup& group : audit_.groups) {
        if (group.name == foot.group) leg(group, std::to_string(seen.size()));
      }
    }
  }

  void leg(const JointGroup& group, const std::string& number) {
    const Episode& episode = audit_.audited.episode;
    ViewPanel errors{.id = "leg-errors-" + number, .title = group.title + ": position less target", .unit = "rad"};
    ViewPanel torques{.id = "leg-torques-" + number, .title = group.title + ": torque", .unit = "N·m"};
    ViewPanel targets{.id = "leg-targets-" + number, .title = group.title + ": targets", .unit = "rad"};
    for (ViewPanel* panel : {&errors, &torques, &targets}) panel->detail = true;
    for (const PreflightCheck& check : audit_.audited.preflight.checks) {
      if (check.kind != PreflightCheckKind::start_error || !errors.limits.empty()) continue;
      errors.limits = {{check.limit, "start limit"}, {-check.limit, ""}};
    }
    std::size_t at = 0;
    for (const std::string& joint : group.joints) {
      const int m = motor_of(joint);
      if (m < 0) continue;
      const std::string& name = audit_.motor_labels[static_cast<std::size_t>(m)];
      const Tone tone = series_style(at++).tone;
      if (episode.target.rows() > 0) {
        const auto error = [&episode, m](Eigen::Index row) { return episode.q(row, m) - episode.target(row, m); };
        errors.lines.push_back({.name = name, .channel = views_.add(error), .tone = tone});
        targets.lines.push_back({.name = name, .channel = column(episode.target, m), .tone = tone});
      }
      if (episode.tau.rows() > 0) {
        torques.lines.push_back({.name = name, .channel = column(episode.tau, m), .tone = tone});
      }
      for (std::size_t i = 0; i < audit_.baselines.size(); ++i) {
        const Episode& other = audit_.baselines[i].episode;
        if (targets.lines.empty() || other.target.rows() == 0) continue;
        const ChannelId target = column(other.target, m, Bin::extremes, static_cast<int>(i) + 1);
        targets.lines.push_back({.name = name + ", " + other.name, .channel = target, .tone = tone, .dashed = true});
      }
    }
    for (ViewPanel* panel : {&errors, &torques, &targets}) {
      if (!panel->lines.empty()) views_.panels.push_back(std::move(*panel));
    }
  }

  int motor_of(const std::string& joint) const {
    for (std::size_t m = 0; m < audit_.audited.ranges.size(); ++m) {
      if (audit_.audited.ranges[m].joint == joint) return static_cast<int>(m);
    }
    return -1;
  }

  /// Each baseline from its first step to its last: the force at every hand, and the reference joint's torque.
  void whole_baselines() {
    for (std::size_t i = 0; i < audit_.baselines.size(); ++i) {
      const EpisodeAudit& baseline = audit_.baselines[i];
      const int run = static_cast<int>(i) + 1;
      ViewPanel force{.id = "whole-force-" + std::to_string(run),
                      .title = "All of " + baseline.episode.name + ": force " + as_deployed(audit_),
                      .unit = "N",
                      .detail = true,
                      .run = run};
      for (const EstimateSeries* hand : hands_) {
        const EstimateSeries* other = series_of(baseline, hand->endpoint, EstimatorName::deployed);
        if (!other) continue;
        force.lines.push_back({.name = "|F| " + label_of(*other),
                               .channel = vector(other->force_norm, run),
                               .tone = series_style(force.lines.size()).tone});
      }
      if (!force.lines.empty()) views_.panels.push_back(std::move(force));
      if (r_.reference_motor < 0) continue;
      views_.panels.push_back(
          {.id = "whole-torque-" + std::to_string(run),
           .title = "All of " + baseline.episode.name + ": torque of " + reference_label(),
           .unit = "N·m",
           .lines = {{.name = reference_label(),
                      .channel = column(baseline.episode.tau, r_.reference_motor, Bin::extremes, run),
                      .tone = Tone::green}},
           .detail = true,
           .run = run});
    }
  }

  void bars(const EstimateSeries& hand, const Conditions& here, const std::array<ChannelId, 3>& force) {
    const int axis = main_axis(hand);
    const EstimateSeries::Contribution& parts = hand.contribution[static_cast<std::size_t>(axis)];
    if (parts.rows() == 0) return;
    BarList list{.title = "What each joint adds to " + axis_name(axis) + " at the " + label_of(hand),
                 .value_head = "adds to " + axis_name(axis),
                 .aside_head = "residual",
                 .unit = "N",
                 .aside_unit = "N·m",
                 .selector = 1,
                 .total = force[static_cast<std::size_t>(axis)],
                 .when = here};
    for (Eigen::Index m = 0; m < parts.cols(); ++m) {
      const bool reaches = (parts.col(m).array().abs() > 0.0F).any();
      if (!reaches) continue;
      const ChannelId part = column(parts, m);
      const auto at = static_cast<std::size_t>(m);
      list.rows.push_back(
          {audit_.motor_labels[at], audit_.audited.ranges[at].joint, part, residual_[at], static_cast<int>(m)});
      for (SceneRobot::Joint& joint : views_.scenes.front().robots.front().joints) {
        if (joint.name == audit_.audited.ranges[at].joint) joint.tints.push_back({part, here});
      }
    }
    views_.bars.push_back(std::move(list));
  }

  // --- Scene, readings, table ---------------------------------------------------------------------------------------

  void robot(std::shared_ptr<const MeshFiles> meshes) {
    SceneRobot robot{.description = audit_.description, .meshes = std::move(meshes)};
    for (std::size_t m = 0; m < audit_.audited.ranges.size() && m < q_.size(); ++m) {
      robot.joints.push_back({audit_.audited.ranges[m].joint, q_[m]});
    }
    views_.scenes.push_back({.title = audit_.robot_title,
                             .note = "Colour: what each joint adds to the force’s largest component.",
                             .robots = {std::move(robot)}});
  }

  void scene_of(const EstimateSeries& hand, const EstimateSeries* posterior, const Conditions& here,
                const std::array<ChannelId, 3>& force) {
    Scene& scene = views_.scenes.front();
    const Anchor anchor{0, audit_.description.link_of(hand.endpoint)};
    const Eigen::Index row = views_.focus < 0 ? 0 : views_.focus;
    const double focus = hand.force_norm.size() > row ? hand.force_norm[row] : kNaN;
    const double whole = std::isfinite(focus) && focus > 1.0
                             ? focus
                             : std::max(1.0, std::isfinite(hand.peak_force) ? hand.peak_force : 1.0);
    scene.arrows.push_back({.name = "force " + as_deployed(audit_) + ": " + sign_in_words(hand.sign),
                            .unit = "N",
                            .anchor = anchor,
                            .vector = force,
                            .meters_per_unit = kArrow / whole,
                            .when = here});
    place(hand, here);
    if (!posterior || posterior->posterior->force_axes.rows() == 0) return;
    SceneEllipsoid doubt{.name = "one sd of the posterior’s force at the " + label_of(hand),
                         .unit = "N",
                         .anchor = anchor,
                         .meters_per_unit = kMetersPerSd};
    for (Eigen::Index c = 0; c < 9; ++c) {
      doubt.axes[static_cast<std::size_t>(c)] = column(posterior->posterior->force_axes, c, Bin::one_row);
    }
    scene.ellipsoids.push_back(std::move(doubt));
  }

  /// A ring where the limb is rather touched, or about the joint that is rather wrong, at the focus step.
  void place(const EstimateSeries& hand, const Conditions& here) {
    const PlaceFinding& found = audit_.place;
    if (hand.endpoint != audit_.focus_endpoint || !(found.elsewhere || found.faulty)) return;
    const std::string name = found.faulty ? "at the marked step rather an error of " + found.joint
                                          : "at the marked step rather contact at " + found.link;
    const std::string link = audit_.description.link_of(found.faulty ? found.joint : found.link);
    views_.scenes.front().frames.push_back({.name = name, .anchor = {0, link}, .target = true, .when = here});
  }

  void readings(const EstimateSeries& hand, const EstimateSeries* posterior, const Conditions& here,
                const std::array<ChannelId, 3>& force, ChannelId size) {
    const ChannelId guard = codes(hand.verdict);
    const std::vector<std::string> verdicts = plain_words<Verdict>();
    views_.readings.push_back({.label = "|F| at the " + label_of(hand), .unit = "N", .channel = size, .when = here});
    const auto cell = [&](std::string label, const char* unit, ChannelId channel, int digits) {
      views_.columns.push_back(
          {.label = std::move(label), .unit = unit, .channel = channel, .digits = digits, .when = here});
    };
    if (r_.reference_motor >= 0) {
      cell("residual of " + reference_label(), "N·m", residual_[static_cast<std::size_t>(r_.reference_motor)], 2);
      cell("gain Fz", "N/(N·m)", named(r_, hand, "reference_gain_Fz"), 2);
    }
    cell("κ", "", named(r_, hand, "kappa"), 1);
    cell("σ min", "", named(r_, hand, "sigma_min"), 4);
    for (std::size_t c = 0; c < 3; ++c) cell(axis_name(static_cast<int>(c)), "N", force[c], 1);
    cell("|F|", "N", size, 1);
    views_.columns.push_back({.label = "published guards", .channel = guard, .words = verdicts, .when = here});
    if (!posterior) return;
    const PosteriorTrace& trace = *posterior->posterior;
    const int main = main_axis(hand);
    const std::string name = "posterior " + axis_name(main);
    const ChannelId number = column(posterior->wrench, main), sd = column(trace.sd, main);
    std::vector<std::string> states;
    for (const Verdict verdict : all_values<Verdict>()) states.emplace_back(kStateNames[state_lane(verdict)]);
    const ChannelId state = codes(trace.state);
    views_.readings.push_back({.label = name, .unit = "N", .channel = number, .sd = sd, .when = here});
    views_.readings.push_back({.label = "its guard", .channel = state, .words = states, .when = here});
    views_.columns.push_back({.label = name, .unit = "N", .channel = number, .sd = sd, .digits = 1, .when = here});
    cell("worst sd", "N", vector(trace.worst_sd), 1);
    cell("NIS", "", vector(trace.nis), -1);
    views_.columns.push_back({.label = "its guard", .channel = state, .words = states, .when = here});
  }

  void note() {
    if (audit_.base == Base::fixed) return;
    views_.note = "The robot’s base is drawn upright and in place: its pose is not in the log.";
    if (r_.used_imu) views_.note += " Its orientation by the IMU is in the forces and not in the drawing.";
  }

  const Audit& audit_;
  const Reconstruction& r_;
  Views views_;
  std::vector<const EstimateSeries*> hands_;
  std::vector<ChannelId> q_, residual_;
  std::map<std::tuple<const void*, const void*, Eigen::Index, Bin, int>, ChannelId> known_;
};

}  // namespace

Views audit_views(const Audit& audit, std::shared_ptr<const MeshFiles> meshes) {
  return AuditViews(audit).make(std::move(meshes));
}

}  // namespace antaeus::detail
