// What a check says to people, and what a page draws of it.
#include <algorithm>
#include <cmath>

#include "antaeus/check/check_log.hpp"
#include "antaeus/core/messages.hpp"
#include "antaeus/core/number_text.hpp"
#include "antaeus/core/words.hpp"
#include "antaeus/robot/dynamics.hpp"

namespace antaeus {

namespace {

std::string plain_fault(std::string_view name) {
  std::string words(name);
  std::ranges::replace(words, '_', ' ');
  return words;
}

std::string as_sentence(std::string text) {
  if (!text.empty() && text.back() != '.') text += '.';
  return text;
}

std::string sentence_of(const Finding& finding) {
  return finding.text.empty() ? as_sentence(plain_fault(to_string(finding.fault))) : as_sentence(finding.text);
}

std::vector<std::string> words_of(const std::vector<std::string>& names) {
  std::vector<std::string> words;
  for (const std::string& name : names) words.push_back(plain_fault(name));
  return words;
}

/// The finding, its remedy, and what else it could be: a line each.
void tell_finding(const Finding& finding, std::vector<std::string>& sentences) {
  sentences.push_back(std::string(to_string(finding.severity)) + ", " + std::string(to_string(finding.fault)) + ": " +
                      sentence_of(finding));
  if (!finding.remedy.empty()) sentences.push_back("To fix it: " + finding.remedy);
  if (!finding.alternatives.empty()) sentences.push_back("or: " + listed(words_of(finding.alternatives)));
}

void add_answer(std::vector<CheckAnswer>& story, const char* question, std::vector<std::string> sentences) {
  if (!sentences.empty()) story.push_back({question, std::move(sentences)});
}

}  // namespace

std::vector<Finding> serious_findings(const CheckResult& result) {
  std::vector<Finding> serious;
  for (const Finding& finding : result.findings) {
    if (finding.severity != Severity::note) serious.push_back(finding);
  }
  return serious;
}

std::string check_headline(const CheckResult& result) {
  const std::vector<Finding> serious = serious_findings(result);
  return serious.empty() ? "No fault found" : sentence_of(serious.front());
}

std::vector<std::string> set_up_sentences(const CheckResult& result) {
  std::vector<std::string> sentences;
  for (const Finding& finding : serious_findings(result)) tell_finding(finding, sentences);
  return sentences;
}

std::vector<CheckAnswer> check_story(const CheckResult& result) {
  std::vector<CheckAnswer> story;
  const std::vector<Finding> serious = serious_findings(result);
  std::vector<std::string> first, others, notes, channel;
  if (serious.empty()) {
    first.push_back(result.robot.empty() ? "No fault found in the channels; without " + arg(Input::robot) +
                                               " torques, order and signs "
                                               "are not judged."
                                         : "No fault found.");
  }
  for (std::size_t i = 0; i < serious.size(); ++i) tell_finding(serious[i], i == 0 ? first : others);
  for (const Finding& finding : result.findings) {
    if (finding.severity == Severity::note) tell_finding(finding, notes);
  }
  if (!serious.empty() && result.robot.empty()) {
    first.emplace_back("Channels alone are judged: with " + arg(Input::robot) + " torques, order and signs are, too.");
  }
  add_answer(story, "Does the log agree with the profile?", std::move(first));
  add_answer(story, "What else is wrong?", std::move(others));
  add_answer(story, "Notes", std::move(notes));
  add_answer(story, "What does the log rule out?",
             result.excluded.empty() ? std::vector<std::string>{}
                                     : std::vector<std::string>{as_sentence(listed(words_of(result.excluded)))});
  std::vector<std::string> not_told = result.not_told;
  for (std::string& one : not_told) one = as_sentence(one);
  add_answer(story, "What can it not show?", std::move(not_told));
  if (!result.robot.empty()) {
    const TorqueDescription& torque = result.torque;
    channel.push_back("Torques: stage " + std::string(to_string(torque.stage)) + ", sign " + torque.sign + ", unit " +
                      torque.unit + ", order " + torque.order + ", gravity " + std::string(to_string(torque.gravity)) +
                      ".");
    if (!result.torques_judged) channel.emplace_back("The log does not suffice to judge torques by the model.");
  }
  add_answer(story, "What is the torque channel?", std::move(channel));
  return story;
}

CheckSeries check_series(const Robot& robot, const Episode& log, const CheckResult& result) {
  CheckSeries series;
  const Eigen::Index steps = log.q.rows();
  if (steps < 2 || log.q.cols() != robot.model.motor_count()) return series;
  const auto& names = robot.model.motor_names();
  int motor = 0;
  double most = -1.0;
  for (int m = 0; m < robot.model.motor_count(); ++m) {
    const auto& shown = log.tau.rows() == steps ? log.tau : log.q;
    const double range = shown.col(m).maxCoeff() - shown.col(m).minCoeff();
    if (range > most) motor = m, most = range;
  }
  for (const Finding& finding : result.findings) {
    if (finding.joints.empty()) continue;
    const auto found = std::ranges::find(names, finding.joints.front());
    if (found == names.end()) continue;
    motor = static_cast<int>(found - names.begin());
    break;
  }
  series.joint = names[static_cast<std::size_t>(motor)];
  const bool clock = log.has_time();
  Dynamics dynamics(robot.model);
  VectorX q(robot.model.nq()), g(robot.model.nv());
  const int row = robot.model.motor_rows()[static_cast<std::size_t>(motor)];
  for (Eigen::Index i = 0; i < steps; ++i) {
    const Eigen::Index from = std::max<Eigen::Index>(i - 1, 0), to = std::min(i + 1, steps - 1);
    series.time.push_back(clock ? log.time[i] - log.time[0] : static_cast<double>(i));
    const double gap = clock ? log.time[to] - log.time[from] : kNaN;
    series.position_rate.push_back(gap > 0.0 ? (log.q(to, motor) - log.q(from, motor)) / gap : kNaN);
    series.velocity.push_back(log.v.rows() == steps ? log.v(i, motor) : kNaN);
    series.torque.push_back(log.tau.rows() == steps
                                ? robot.profile.joint_torque(static_cast<std::size_t>(motor), log.tau(i, motor))
                                : kNaN);
    const bool fine =
        robot.model.position_from_motors(log.q.row(i).transpose(), Eigen::Vector4d(0, 0, 0, 1), q) == Status::ok &&
        dynamics.at(q).gravity_torque(g) == Status::ok;
    series.gravity.push_back(fine && robot.model.base() == Base::fixed ? g[row] : kNaN);
  }
  return series;
}

}  // namespace antaeus
