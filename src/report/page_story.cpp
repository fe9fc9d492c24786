#include <algorithm>
#include <cmath>

#include "audit/parts.hpp"
#include "draw/html_text.hpp"
#include "report/page.hpp"

namespace antaeus::parts {

namespace {

/// Which statements answer which question, by their id.
struct Question {
  const char* title;
  std::initializer_list<const char*> ids;
};
const Question kQuestions[] = {
    {"What happened?", {"what"}},
    {"Why?", {"cause"}},
    {"Could we have known?", {"preflight"}},
    {"What would have helped?", {"watchdog", "clamp"}},
};

/// What is said of the posterior, in the order of a reader's questions, each with a heading of its own.
struct Topic {
  const char* id;
  const char* title;
};
const Topic kTopics[] = {{"posterior", "The number, with its doubt"},
                         {"guarded_posterior", "Alarm and guard"},
                         {"reliability", "From which size an error shows"},
                         {"undetectable", "Where no test can help"},
                         {"advice", "A better pose"}};

bool is_of_the_posterior(const std::string& id) {
  return std::any_of(std::begin(kTopics), std::end(kTopics), [&](const Topic& topic) { return id == topic.id; });
}

bool answers_a_question(const std::string& id) {
  for (const Question& question : kQuestions) {
    for (const char* known : question.ids) {
      if (id == known) return true;
    }
  }
  return false;
}

std::string label_of(const Audit& audit, const std::string& endpoint) {
  for (const EstimateSeries& s : audit.audited.reconstruction.series) {
    if (s.endpoint == endpoint) return s.label;
  }
  return endpoint;
}

/// "step 8, 22.609 s"
std::string when(const Audit& audit, Eigen::Index step) {
  if (step < 0) return {};
  std::string text = "step " + step_link(step);
  const VectorX& time = audit.audited.reconstruction.time;
  const Eigen::Index row = step - audit.audited.reconstruction.first_step;
  if (row >= 0 && row < time.size() && std::isfinite(time[row])) text += ", " + fixed(time[row], 3) + "\u00a0s";
  return text;
}

/// The chain as boxes and arrows that flow beside each other or, on a narrow page, below.
class Chain {
 public:
  void node(const char* title, const std::string& text, const std::string& place) {
    html_ += "<li class=\"node\"><h3>" + std::string(title) + "</h3><p class=\"prose\">" + prose(text) + "</p>" +
             (place.empty() ? "" : "<p class=\"quiet\">" + place + "</p>") + "</li>\n";
    ++nodes_;
  }
  void arrow(bool measured, const std::string& reason) {
    const char* word = measured ? "measured" : "inferred";
    html_ += "<li class=\"arrow " + std::string(word) + "\"><svg viewBox=\"0 0 48 16\" role=\"img\" aria-label=\"" +
             word +
             "\"><path class=\"shaft\" d=\"M1 8H38\"/><path class=\"tip\" d=\"M37 2.5L47 8L37 13.5Z\"/></svg><p><b>" +
             word + "</b><span class=\"prose\"> " + prose(reason) + "</span></p></li>\n";
  }
  int nodes() const { return nodes_; }
  const std::string& html() const { return html_; }

 private:
  std::string html_;
  int nodes_ = 0;
};

const Event* first_event(const Audit& audit, EventKind kind, const std::string& subject, Eigen::Index from) {
  for (const Event& event : audit.events) {
    if (event.kind == kind && event.step >= from && (subject.empty() || event.subject == subject)) return &event;
  }
  return nullptr;
}

void described(std::string& out, const std::string& term, const std::string& html) {
  out += "<dt>" + escaped(term) + "</dt><dd class=\"prose\">" + html + "</dd>\n";
}

}  // namespace

void answers_section(std::string& out, const Audit& audit) {
  out += "<section class=\"answers\" aria-label=\"verdict\">\n";
  for (const Question& question : kQuestions) {
    std::string text;
    for (const char* id : question.ids) {
      for (const Statement& s : audit.verdict) {
        if (s.id == id) text += "<p class=\"prose\" data-statement=\"" + escaped(s.id) + "\">" + prose(s.text) + "</p>";
      }
    }
    if (text.empty()) text = "<p>The log does not say.</p>";
    out += "<div class=\"answer\"><h2>" + std::string(question.title) + "</h2>" + text + "</div>\n";
  }
  out += "</section>\n";
}

void posterior_section(std::string& out, const Audit& audit, const NamedFigure* figure) {
  std::string answers;
  for (const Topic& topic : kTopics) {
    for (const Statement& s : audit.verdict) {
      if (s.id != topic.id) continue;
      answers += "<div><h3>" + std::string(topic.title) + "</h3><p class=\"prose\" data-statement=\"" + escaped(s.id) +
                 "\">" + prose(s.text) + "</p></div>\n";
    }
  }
  if (answers.empty()) return;
  out +=
      "<section id=\"saved\"><h2>" +
      std::string(audit.incident ? "What would have saved the robot" : "What an estimator says that knows its doubt") +
      "</h2>\n<div class=\"saved\"><div class=\"told\">\n" + answers + "</div>\n";
  if (figure) figure_element(out, *figure);
  out += "</div></section>\n";
}

void further_section(std::string& out, const Audit& audit) {
  std::string rest;
  for (const Statement& s : audit.verdict) {
    if (answers_a_question(s.id) || is_of_the_posterior(s.id)) continue;
    rest += "<li class=\"prose\" data-statement=\"" + escaped(s.id) + "\">" + prose(s.text) + "</li>\n";
  }
  if (!rest.empty()) out += "<section class=\"further\"><h2>Also found</h2>\n<ul>\n" + rest + "</ul></section>\n";
}

void chain_section(std::string& out, const Audit& audit) {
  if (!audit.incident || audit.focus_step < 0) return;
  const std::string label = label_of(audit, audit.focus_endpoint);
  Chain chain;
  for (const PreflightCheck& check : audit.audited.preflight.checks) {
    if (check.kind != PreflightCheckKind::gain || check.passed || check.subject != audit.focus_endpoint) continue;
    chain.node("A pose that amplifies",
               "In the start pose 1 N·m of " + audit.reference_joint + " reads as " + number_text(check.value) +
                   " N at the " + label + "; the pre-flight limit is " + number_text(check.limit) + ".",
               when(audit, audit.audited.reconstruction.first_step));
  }
  const Event* grown = first_event(audit, EventKind::residual_grown, "", 0);
  if (grown && grown->step <= audit.focus_step) {
    if (chain.nodes() > 0) chain.arrow(true, "both are in the log, and the force is their product");
    chain.node("Torque beyond gravity", grown->text + ".", when(audit, grown->step));
  }
  // What was read before the targets jump can have made them jump; what came later cannot.
  const Event* first = first_event(audit, EventKind::force_above, audit.focus_endpoint, 0);
  if (!first || chain.nodes() == 0) return;
  const Event* jump = first_event(audit, EventKind::target_jump, "", first->step);
  const Event* force = first;
  const Event* strongest = first;
  for (const Event& event : audit.events) {
    if (event.kind != EventKind::force_above || event.subject != audit.focus_endpoint || event.step > audit.focus_step)
      continue;
    strongest = &event;
    if (!jump || event.step <= jump->step) force = &event;
  }
  std::string because = "computed from the log";
  for (const Attribution& a : audit.attributions) {
    if (a.estimator != EstimatorName::deployed || a.largest < 0) continue;
    because = "at step " + std::to_string(a.step) + " " + audit.motor_labels[a.largest] + " makes " +
              number_text(a.contribution(2, a.largest)) + " N of Fz " + number_text(a.wrench[2]) + " N";
  }
  chain.arrow(true, because);
  chain.node("A force is read", force->text + ".", when(audit, force->step));
  // What follows is in the log, that it follows from the force is not: the log holds no wrench that was read.
  if (jump && jump->step <= strongest->step) {
    chain.arrow(false, "the log holds no wrench that the consumer read");
    chain.node("Targets jump", jump->text + ".", when(audit, jump->step));
  }
  if (strongest != force) {
    chain.arrow(false, "only the order in time is measured");
    chain.node("The force grows", strongest->text + ".", when(audit, strongest->step));
  }
  if (const Event* limit = first_event(audit, EventKind::torque_limit, "", strongest->step)) {
    chain.arrow(false, "only the order in time is measured");
    chain.node("Rated torque passed", limit->text + ".", when(audit, limit->step));
  }
  out +=
      "<section id=\"chain\"><h2>How one thing led to the next</h2>\n<ol class=\"chain\">\n" + chain.html() +
      "</ol>\n<p class=\"quiet note\">A full arrow is computed from the log alone. A dashed one is inferred: both of "
      "its ends are in the log, the link between them is not.</p></section>\n";
}

void knowledge_section(std::string& out, const Audit& audit) {
  const Reconstruction& r = audit.audited.reconstruction;
  std::string deployed, computed;
  const Eigen::Index row = audit.focus_step - r.first_step;
  if (audit.focus_step >= 0) {
    for (const EstimateSeries& s : r.series) {
      if (!s.consumed) continue;
      const std::string force =
          prose("|F| " + number_text(s.force_norm[row]) + " N, Fz " + number_text(s.wrench(row, 2)) + " N");
      if (s.estimator == EstimatorName::deployed) {
        described(deployed, s.label + " at step " + std::to_string(audit.focus_step), force);
        if (s.peak_step >= 0) {
          described(deployed, s.label + ", peak",
                    "|F| " + number_text(s.peak_force) + " N at step " + step_link(r.first_step + s.peak_step));
        }
      }
      if (s.endpoint != audit.focus_endpoint) continue;
      if (s.posterior) {
        const PosteriorTrace& trace = *s.posterior;
        described(computed, "Posterior of the limb’s own rows",
                  prose("Fz " + number_text(s.wrench(row, kFz)) + " ± " + number_text(trace.sd(row, kFz)) +
                        " N, worst sd " + number_text(trace.worst_sd[row]) + " N"));
        described(computed, "NIS, and its alarm limit",
                  prose(number_text(trace.nis[row]) + " against " + number_text(trace.nis_threshold[row])));
        described(computed, "The posterior’s guard says",
                  escaped(to_string(trace.state[row])) +
                      prose("; the consumer reads Fz " + number_text(s.guarded_force(row, kFz)) + " N"));
      } else if (s.estimator == EstimatorName::deployed) {
        described(computed, "Condition number", number_text(s.kappa[row]));
        if (std::isfinite(s.reference_gain(row, 2))) {
          described(computed, "Fz per N·m of " + audit.reference_joint,
                    prose(number_text(s.reference_gain(row, 2)) + " N"));
        }
        described(computed, "Default guards say", escaped(to_string(s.verdict[row])));
      } else {
        described(computed, "All endpoints at once (" + std::string(to_string(s.estimator)) + ")", force);
      }
    }
    for (const Attribution& a : audit.attributions) {
      if (a.estimator != EstimatorName::deployed || a.largest < 0) continue;
      described(computed, "Largest part of Fz",
                prose(number_text(a.contribution(2, a.largest)) + " N from " + audit.motor_labels[a.largest] +
                      ", whose torque beyond gravity is " + number_text(a.residual[a.largest]) + " N·m"));
    }
  }
  out +=
      "<section id=\"knowledge\"><h2>What is known, and what is not</h2>\n<div class=\"columns\">\n"
      "<div><h3>As deployed</h3><p>What the robot’s own estimator reads, run again on the log.</p><dl>\n" +
      deployed + "</dl></div>\n<div><h3>Reconstructed</h3><p>What this audit computes at the " +
      escaped(label_of(audit, audit.focus_endpoint)) + " in the same step.</p><dl>\n" + computed +
      "</dl></div>\n<div><h3>Cannot be told</h3><p>What this log does not hold.</p><ul>\n";
  for (const Statement& s : audit.cannot_tell) out += "<li class=\"prose\">" + prose(s.text) + "</li>\n";
  out += "</ul></div>\n</div></section>\n";
}

void timeline_section(std::string& out, const Audit& audit) {
  out += "<section id=\"timeline\"><h2>Timeline</h2>\n<ol class=\"timeline\">\n";
  Eigen::Index before = -1;
  bool open = false;
  for (const Event& event : audit.events) {
    if (event.step != before) {
      if (open) out += "</ul></li>\n";
      out += "<li><div class=\"moment\">step " + step_link(event.step) +
             (std::isfinite(event.time) ? "<span class=\"quiet\">" + fixed(event.time, 3) + " s</span>" : "") +
             "</div><ul>\n";
      before = event.step;
      open = true;
    }
    out += "<li class=\"prose event " + escaped(to_string(event.kind)) + "\">" + prose(event.text) + "</li>\n";
  }
  out += (open ? std::string("</ul></li>\n") : std::string()) + "</ol></section>\n";
}

}  // namespace antaeus::parts
