#include "antaeus/audit/audit.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "antaeus/audit/audit_options.hpp"
#include "antaeus/core/error.hpp"
#include "antaeus/core/number_text.hpp"
#include "antaeus/episode/episode_reader.hpp"
#include "audit/focus_step.hpp"
#include "audit/long_log.hpp"

namespace antaeus {

namespace {

std::string orientation_text(const Episode& episode, const Robot& robot, const AuditOptions& options) {
  if (robot.model.base() == Base::fixed) return "fixed base";
  if (!episode.has_imu()) return "identity (the log holds no IMU)";
  if (options.equation.imu == ImuUse::none) return "identity (the IMU was not used, by option)";
  if (options.equation.imu == ImuUse::as_base) return "IMU quaternion taken for the base's (as deployed)";
  const std::string& frame = robot.profile.imu.frame;
  if (frame.empty()) return "IMU quaternion taken for the base's (the profile names no frame of the IMU)";
  return "IMU quaternion carried from " + frame + " to the base";
}

/// What the pose of the focus step does to torques, beside the baselines' first poses.
void add_sweeps(const Robot& robot, Audit& audit) {
  if (audit.focus_step < 0) return;
  std::vector<LabelledPose> poses;
  const auto add = [&](const EpisodeAudit& episode, Eigen::Index row) {
    const VectorX q = episode.episode.q.row(row);
    const std::string step = std::to_string(episode.reconstruction.first_step + row);
    if (q.allFinite()) poses.push_back({episode.episode.name + " step " + step, q});
  };
  add(audit.audited, detail::row_of(audit, audit.focus_step));
  for (const EpisodeAudit& baseline : audit.baselines) add(baseline, 0);
  for (const LabelledPose& pose : poses) audit.spectra.push_back(pose_spectrum(robot, audit.focus_endpoint, pose));
  std::vector<int> motors = influential_motors(robot, audit.focus_endpoint, poses.front());
  motors.resize(std::min<std::size_t>(motors.size(), 2));
  for (const int motor : motors) {
    audit.sweeps.push_back(sweep_joint(robot, audit.focus_endpoint, poses.front(), motor));
  }
  poses.resize(std::min<std::size_t>(poses.size(), 2));
  audit.junction = junction_lesson(robot, audit.focus_endpoint, poses);
}

/// Steps that an event or the focus names, ascending.
std::vector<Eigen::Index> told_steps(const Audit& audit) {
  std::vector<Eigen::Index> steps;
  for (const Event& event : audit.events) steps.push_back(event.step);
  if (audit.focus_step >= 0) steps.push_back(audit.focus_step);
  std::sort(steps.begin(), steps.end());
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  return steps;
}

/// "steps 100 to 200 (1.5 s to 2.5 s)"
std::string span_text(const Episode& part, Eigen::Index first) {
  std::string text = "steps " + std::to_string(first) + " to " + std::to_string(first + part.steps() - 1);
  if (part.has_time()) {
    constexpr int kDigits = 7;  // milliseconds of an hour
    const auto seconds = [&](Eigen::Index row) { return significant_text(part.time[row], kDigits) + " s"; };
    text += " (" + seconds(0) + " to " + seconds(part.steps() - 1) + ")";
  }
  return text;
}

/// The steps that are audited: of each log all of them, or as many as may be kept. \param passed  share of the work
/// that finding them was
std::vector<Episode> audited_episodes(const Robot& robot, std::vector<EpisodeReader>& logs,
                                      const std::vector<std::string>& endpoints, const AuditRequest& request,
                                      const AuditOptions& options, const Progress& progress, const StepsWriter& write,
                                      Audit& audit, Eigen::Index& cut_at, double& passed) {
  const bool is_cut = request.from >= 0 || request.to >= 0;
  double all_steps = 0.0;
  for (const EpisodeReader& log : logs) all_steps += static_cast<double>(log.steps());
  const Eigen::Index most = detail::steps_within(request.memory, robot, endpoints, logs.size());
  std::vector<Episode> episodes;
  if (all_steps <= static_cast<double>(most) * static_cast<double>(logs.size())) {
    for (EpisodeReader& log : logs) episodes.push_back(std::move(log).load());
    if (is_cut) episodes[0] = cut_episode(episodes[0], request.from, request.to, cut_at);
    logs.clear();  // with what they hold
    return episodes;
  }
  for (std::size_t e = 0; e < logs.size(); ++e) {
    EpisodeReader& log = logs[e];
    if (e == 0 && is_cut) log.cut(request.from, request.to);
    cut_at = e == 0 ? log.first_step() : cut_at;
    if (log.steps() <= most) {
      episodes.push_back(std::move(log).load());
      continue;
    }
    if (e > 0) {  // of a good run its beginning: poses and torques to compare with
      Episode part = log.block(0, most);
      part.notes.push_back("of " + std::to_string(log.steps()) + " steps the first " + std::to_string(most) +
                           " are compared with");
      episodes.push_back(std::move(part));
      continue;
    }
    passed = 0.8;
    Progress share;
    if (progress) share = [&](double done) { progress(0.8 * done); };
    detail::PassedLog all = detail::pass_over(robot, log, endpoints, options, audit.check, share, write);
    const Eigen::Index first = std::clamp<Eigen::Index>(all.focus - most / 2, 0, log.steps() - most);
    Episode part = log.block(first, most);
    cut_at += first;
    part.sha256 = all.judged.sha256;
    part.channels = all.judged.channels;
    part.notes = all.judged.notes;
    part.silent = all.judged.silent;
    part.notes.insert(part.notes.begin(),
                      "the log has " + std::to_string(log.steps()) + " steps, all of them estimated and written; " +
                          span_text(part, cut_at) +
                          ", around its largest force, are taken apart, and filters and guards restart there");
    for (const Eigen::Index step : all.judged.invalid_steps) {
      if (step < first || step >= first + most || std::ranges::binary_search(part.invalid_steps, step - first))
        continue;
      part.invalid_steps.push_back(step - first);
      std::ranges::sort(part.invalid_steps);
    }
    audit.whole = std::move(all.whole);
    episodes.push_back(std::move(part));
  }
  logs.clear();
  return episodes;
}

}  // namespace

Audit run_audit(const Robot& robot, const AuditRequest& request, const AuditOptions& options, const Progress& progress,
                const StepsWriter& write) {
  robot.endpoint_frames(request.endpoints, "--endpoint");  // names are checked before any file is read
  std::vector<EpisodeReader> logs;
  logs.emplace_back(request.episode, robot, options.episode);
  for (const std::filesystem::path& baseline : request.baselines) {
    logs.emplace_back(baseline, robot, options.episode);
  }
  AuditRequest checked = request;
  checked.check = true;
  return run_audit(robot, std::move(logs), checked, options, progress, write);
}

Audit run_audit(const Robot& robot, std::vector<Episode> episodes, const AuditRequest& request,
                const AuditOptions& options, const Progress& progress) {
  std::vector<EpisodeReader> logs;
  for (Episode& episode : episodes) logs.emplace_back(std::move(episode));
  return run_audit(robot, std::move(logs), request, options, progress);
}

Audit run_audit(const Robot& robot, std::vector<EpisodeReader> logs, const AuditRequest& request,
                const AuditOptions& options, const Progress& progress, const StepsWriter& write) {
  if (logs.empty()) throw EpisodeError("audit", "no episode", "give at least one");
  const std::vector<std::string> endpoints = robot.endpoint_frames(request.endpoints);
  Audit audit;
  audit.robot = robot.profile.name;
  audit.robot_title = robot.profile.title;
  audit.model_sha256 = robot.model.description().sha256;
  audit.profile_sha256 = robot.profile.sha256;
  audit.description = robot.model.description();
  audit.base = robot.model.base();
  audit.base_source = robot.profile.base_source;
  audit.base_text = base_text(robot);
  audit.total_mass = robot.model.total_mass();
  audit.payloads = robot.model.options().payloads;
  audit.motor_labels = robot.profile.motor_labels;
  audit.reference_joint = robot.profile.reference_joint;
  audit.endpoints = robot.profile.endpoints;
  audit.groups = robot.profile.groups;
  audit.settings = list_audit_options(options, robot.settings(endpoints));
  // Ground, soles and weight on a foot are nothing to an arm.
  const auto is_foot = [&](const std::string& frame) { return robot.kind_of(frame) == EndpointKind::foot; };
  const bool has_feet = std::ranges::any_of(endpoints, is_foot) ||
                        std::ranges::any_of(robot.profile.endpoints, is_foot, &Endpoint::frame);
  std::erase_if(audit.settings, [&](const OptionValue& option) {
    return !has_feet && (option.group == "feasibility" || std::string_view(option.info.name) == "foot_force_limit");
  });
  audit.command = request.command;
  audit.has_deployed = robot.profile.deployed_sign || !robot.profile.deployed_endpoints.empty();
  audit.noise_assumed = !robot.profile.noise && !logs[0].about().simulated;
  audit.version = ANTAEUS_VERSION;

  if (request.check) audit.check = check_log(robot, logs[0], robot.profile.settings.get<CheckOptions>());
  Eigen::Index cut_at = 0;
  double passed = 0.0;  // share of the work that is done before any episode is audited
  std::vector<Episode> episodes =
      audited_episodes(robot, logs, endpoints, request, options, progress, write, audit, cut_at, passed);
  double all_steps = 0, done = passed;
  for (const Episode& episode : episodes) all_steps += static_cast<double>(episode.steps());
  std::vector<FocusCandidate> candidates;
  for (std::size_t e = 0; e < episodes.size(); ++e) {
    EpisodeAudit part;
    part.episode = std::move(episodes[e]);
    const Eigen::Index first_step = e == 0 ? cut_at : 0;
    const double weight = (1.0 - passed) * static_cast<double>(part.episode.steps()) / all_steps;
    Progress share;
    if (progress) share = [&](double s) { progress(done + s * weight); };
    Reconstructor reconstructor(robot, part.episode, endpoints, options);
    if (e == 0) reconstructor.suspect(audit.check);
    part.reconstruction = reconstructor.next(part.episode.steps(), share);
    part.reconstruction.first_step = first_step;
    if (e == 0) candidates = reconstructor.focus_candidates();
    done += weight;
    if (std::string why = why_static(robot, part.episode, options.residual); !why.empty()) {
      // First: what was found while reading tells of invalid steps last.
      part.episode.notes.insert(part.episode.notes.begin(), std::move(why));
    }
    if (e > 0 || audit.whole.steps == 0) {  // what is too large was noted of the whole log
      note_overflow(overflowing_steps(part.reconstruction, part.episode), part.episode, first_step);
    }
    detail::summarise_episode(robot, endpoints, options, part);
    if (e == 0) {
      audit.audited = std::move(part);
    } else {
      audit.baselines.push_back(std::move(part));
    }
  }
  audit.base_orientation = orientation_text(audit.audited.episode, robot, options);
  const FocusCandidate* taken = detail::choose_focus(options, candidates, audit);
  audit.events = detail::find_events(robot, options, audit);
  audit.audited.told_steps = told_steps(audit);
  audit.reliability = detail::reliability(robot, audit);
  audit.advice = detail::pose_advice(robot, audit);
  std::optional<detail::FocusStep> focus;
  if (taken) {
    focus.emplace(robot, endpoints, options, audit);
    audit.cause_test = detail::cause_test(options, *focus, taken->residual);
    audit.place = detail::place_finding(robot, options, *focus, taken->residual);
  }
  audit.contact = detail::contact_finding(options, audit);
  audit.identified = detail::identified_span(robot, audit);
  if (focus) {
    audit.attributions = detail::attributions(*focus, audit);
    audit.feasibility = detail::feasibility(robot, options, *focus);
    audit.counterfactuals = detail::counterfactuals(robot, options, *focus, audit);
    audit.reference_rows = detail::reference_rows(*focus);
  }
  audit.pose_counterfactuals = detail::pose_counterfactuals(robot, options, audit);
  audit.tilt = detail::tilt_sensitivity(robot, options, audit);
  add_sweeps(robot, audit);
  audit.causal_graph = detail::causal_graph(robot, audit);
  audit.contacts = detail::contact_intervals(audit.audited.reconstruction);
  detail::doubt_lasting_contacts(options, audit.contacts, audit.audited.reconstruction);
  audit.audited.contact_share = detail::share_within(audit.contacts, audit.audited.reconstruction);
  for (EpisodeAudit& baseline : audit.baselines) {
    const std::vector<ContactInterval> contacts = detail::contact_intervals(baseline.reconstruction);
    detail::doubt_lasting_contacts(options, contacts, baseline.reconstruction);
    baseline.contact_share = detail::share_within(contacts, baseline.reconstruction);
  }
  // Of a log without numbers it is said that nothing can be told.
  if (has_errors(audit.check) && audit.check.findings.front().fault != Fault::not_numbers) {
    audit.outcome = Outcome::wrong_set_up;
  }
  audit.verdict = detail::verdict(robot, audit);
  audit.cannot_tell = detail::cannot_tell(audit);
  audit.next_checks = detail::next_checks(audit);
  if (write && audit.whole.steps == 0) {
    std::optional<Table> steps = steps_table(audit.audited.reconstruction);
    write(static_cast<std::int64_t>(steps->rows()), [&] { return std::exchange(steps, std::nullopt); });
  }
  return audit;
}

}  // namespace antaeus
