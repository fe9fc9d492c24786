#include "antaeus/ik/ik_story.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "antaeus/core/number_text.hpp"
#include "antaeus/core/words.hpp"
#include "antaeus/robot/robot_profile.hpp"

namespace antaeus {

namespace {

constexpr std::size_t kMostTold = 5;  ///< failures and steps that are told one by one

std::string number(double value) {
  return std::abs(value) < 1000.0 ? significant_text(value, 3) : fixed_text(value, 0);
}
std::string counted(std::size_t n, const std::string& one, const std::string& many) {
  return std::to_string(n) + " " + (n == 1 ? one : many);
}
std::string sentence(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text + ".";
}

const char* meaning_of(ReachStatus status) {
  switch (status) {
    case ReachStatus::reached: return "both errors are within tolerance, and every joint is within its limits";
    case ReachStatus::out_of_reach: return "no configuration comes there, not even beyond the joints’ limits";
    case ReachStatus::blocked_by_limits:
      return "a configuration beyond the joints’ limits comes there, none within them was found";
    case ReachStatus::local_minimum:
      return "small steps do not improve the pose; the reason states what another branch would do";
    case ReachStatus::iteration_budget: return "the search ended before it came to a result";
    case ReachStatus::bad_input: return "the target holds no pose";
  }
  return "";
}

IkAnswer reached(const IkResult& r) {
  const ReachOptions& options = r.model.options();
  IkAnswer answer{"Are the targets reached?", {}};
  std::string text = r.size() == 1            ? std::string(r.all_reached() ? "the target is" : "the target is not")
                     : r.all_reached()        ? "all " + std::to_string(r.size()) + " are"
                     : r.answers.reached == 0 ? "none of " + std::to_string(r.size()) + " is"
                                              : std::to_string(r.answers.reached) + " of " + std::to_string(r.size()) +
                                                    (r.answers.reached == 1 ? " is" : " are");
  text += " reached within " + number(1000.0 * options.position_tolerance) + " mm";
  if (!options.position_only) text += " and " + number(1000.0 * options.rotation_tolerance) + " mrad";
  text += r.answers.reached > 0 ? ", every joint within its limits." : ".";
  answer.statements.push_back({r.all_reached() ? "Yes: " : r.answers.reached == 0 ? "No: " : "Not all: ", text});
  for (const ReachStatus status : all_values<ReachStatus>()) {
    const int n = r.count(status);
    if (n == 0 || status == ReachStatus::reached) continue;
    answer.statements.push_back(
        {std::to_string(n) + " " + in_words(status), std::string(": ") + meaning_of(status) + "."});
  }
  return answer;
}

/// Failures that are told as one: targets first to last, of one status.
struct Told {
  int first, last, worst;
};

/// Of a path: failures that follow each other.
std::vector<Told> stretches(const IkResult& r) {
  std::vector<Told> all;
  for (const int t : r.answers.failure_of) {
    if (all.empty() || all.back().last + 1 != t || r.status(t) != r.status(all.back().first)) {
      all.push_back({t, t, t});
      continue;
    }
    all.back().last = t;
    const auto miss = [&](int k) { return std::hypot(r.answers.position_error[k], r.answers.rotation_error[k]); };
    if (miss(t) > miss(all.back().worst)) all.back().worst = t;
  }
  return all;
}

/// Of independent targets: the first of each status, then their seconds, and so on.
std::vector<Told> examples(const IkResult& r) {
  std::vector<std::pair<int, int>> order;
  std::array<int, enum_names(ReachStatus{}).size()> seen{};
  for (const int t : r.answers.failure_of) order.emplace_back(seen[static_cast<std::size_t>(r.status(t))]++, t);
  std::sort(order.begin(), order.end());
  order.resize(std::min(order.size(), kMostTold));
  std::vector<Told> all;
  for (const auto& [nth, t] : order) all.push_back({t, t, t});
  std::sort(all.begin(), all.end(), [](const Told& a, const Told& b) { return a.first < b.first; });
  return all;
}

IkAnswer others(const IkResult& r) {
  IkAnswer answer{r.answers.reached > 0 ? "Why not the others?" : "Why not?", {}};
  const std::vector<int>& failures = r.answers.failure_of;
  const std::vector<Told> chosen = r.request.path ? stretches(r) : examples(r);
  std::size_t told = 0;
  for (std::size_t k = 0; k < std::min(chosen.size(), kMostTold); ++k) {
    const Told& one = chosen[k];
    told += static_cast<std::size_t>(one.last - one.first + 1);
    std::string text = r.reason(one.worst) + ".";
    if (one.last > one.first) {
      text = in_words(r.status(one.first)) + " up to target " + std::to_string(one.last) + ". The worst, target " +
             std::to_string(one.worst) + ": " + text;
    }
    answer.statements.push_back({{}, text, one.first});
  }
  if (failures.size() > told) {
    answer.statements.push_back(
        {{}, counted(failures.size() - told, "other stands", "others stand") + " in solutions.csv.", -1, true});
  }
  const std::vector<ChainJoint>& joints = r.model.chain().joints();
  std::vector<std::string> named;
  for (std::size_t i = 0; i < joints.size(); ++i) {
    const auto blocked = std::count_if(r.answers.failures.begin(), r.answers.failures.end(),
                                       [i](const ReachSolution& s) { return (s.blocked_by >> i & 1U) != 0; });
    if (blocked > 0) named.push_back(joints[i].name + " (" + std::to_string(blocked) + ")");
  }
  if (!named.empty() && failures.size() > 1) {
    answer.statements.push_back({{}, "Limits that block, and how many targets: " + listed(named) + "."});
  }
  return answer;
}

IkAnswer quiet(const IkResult& r) {
  IkAnswer answer{"Does the path jump?", {}};
  std::vector<const IkStep*> lost;
  for (const IkStep& step : r.steps) {
    if (!step.needed()) lost.push_back(&step);
  }
  const bool slides = std::any_of(r.model.chain().joints().begin(), r.model.chain().joints().end(),
                                  [](const ChainJoint& joint) { return joint.prismatic; });
  std::string text = "the largest step of a joint from one target to the next is " + number(r.largest_step) +
                     (slides ? " rad or m" : " rad");
  if (!r.steps.empty()) {
    text += "; " + counted(r.steps.size(), "step is", "steps are") + " larger than " + number(kLongStep);
  }
  text += '.';
  if (!r.steps.empty() && lost.empty()) {
    text += " Cut into " + std::to_string(kPathParts) + " pieces, every such interval is passed in steps below " +
            number(kNeededPart) + ": the frame’s path needs them.";
  }
  answer.statements.push_back({lost.empty() ? "No: " : "Yes: ", text});
  for (std::size_t k = 0; k < std::min(lost.size(), kMostTold); ++k) {
    const IkStep& step = *lost[k];
    const ChainJoint& joint = r.model.chain().joints()[static_cast<std::size_t>(step.joint)];
    answer.statements.push_back({{},
                                 joint.name + " moves by " + number(step.size) + (joint.prismatic ? " m" : " rad") +
                                     " on the way from target " + std::to_string(step.from) +
                                     (std::isfinite(step.largest_substep)
                                          ? ", and a finer path does not make that small: the branch ends there."
                                          : "; this step was not examined."),
                                 step.to});
  }
  if (r.beginnings > 1) {
    answer.statements.push_back({{},
                                 "Tried from " + std::to_string(r.beginnings) +
                                     " solutions of the first target: this path has the fewest jumps.",
                                 -1,
                                 true});
  }
  if (lost.size() > kMostTold) {
    answer.statements.push_back({{}, std::to_string(lost.size() - kMostTold) + " more are in summary.json.", -1, true});
  }
  return answer;
}

IkAnswer how(const IkResult& r) {
  IkAnswer answer{"Notes", {}};
  std::vector<double> times;
  for (const double one : r.cpu_us) {
    if (std::isfinite(one)) times.push_back(one);
  }
  if (!times.empty()) {
    std::sort(times.begin(), times.end());
    std::string text = "A solve took " + number(times[times.size() / 2]) + " µs of CPU time (median), at most " +
                       number(times.back()) + " µs, on one thread with warm caches";
    if (r.model.has_table() && r.request.method == IkMethod::reach) {
      text += "; the table of starts was built once, in " + number(1000.0 * r.model.table_seconds()) + " ms";
    }
    answer.statements.push_back({{}, text + "."});
  }
  for (const std::string& remark : r.remarks) answer.statements.push_back({{}, sentence(remark)});
  answer.statements.push_back({{},
                               "Targets are poses of the frame in the world. The robot’s root stands at the world’s "
                               "origin, upright; joints that do not move the frame stand at zero. Base: " +
                                   r.base_text + payloads_text(r.payloads) + ".",
                               -1,
                               true});
  return answer;
}

}  // namespace

std::string in_words(ReachStatus status) {
  std::string text(to_string(status));
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

std::string ik_subtitle(const IkResult& r) {
  return counted(static_cast<std::size_t>(r.size()), "target", "targets") +
         (r.request.path       ? ", a path: each followed from the answer before"
          : r.size() == 1      ? ""
          : r.start.size() > 0 ? ", each from the same start"
                               : ", each for itself") +
         "; " + (r.model.options().position_only ? "position alone" : "position and orientation") + "; " +
         (r.request.method == IkMethod::reach ? "default method"
                                              : "method " + std::string(to_string(r.request.method))) +
         "; " + counted(r.model.chain().joints().size(), "joint", "joints") + payloads_text(r.payloads) + ".";
}

std::vector<IkAnswer> ik_story(const IkResult& result) {
  std::vector<IkAnswer> story = {reached(result)};
  if (!result.all_reached()) story.push_back(others(result));
  if (result.request.path && std::isfinite(result.largest_step)) story.push_back(quiet(result));
  story.push_back(how(result));
  return story;
}

}  // namespace antaeus
