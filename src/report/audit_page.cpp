// The page of an audit, in the order of a reader who has two minutes.
#include <algorithm>
#include <cmath>
#include <set>

#include "antaeus/audit/audit.hpp"
#include "antaeus/core/option_table.hpp"
#include "antaeus/report/figures.hpp"
#include "antaeus/report/pages.hpp"
#include "antaeus/robot/robot_profile.hpp"
#include "audit/audit_shared.hpp"
#include "report/audit_sections.hpp"
#include "report/audit_series.hpp"
#include "report/check_sections.hpp"
#include "report/page_words.hpp"

namespace antaeus {

namespace detail {

namespace {

/// What the verdict says under these ids, each statement once.
class Statements {
 public:
  explicit Statements(const std::vector<Statement>& all) : all_(all) {}

  std::vector<Paragraph> take(std::initializer_list<Topic> ids) {
    std::vector<Paragraph> taken;
    for (const Topic id : ids) {
      for (std::size_t i = 0; i < all_.size(); ++i) {
        if (all_[i].id == id && told_.insert(i).second)
          taken.push_back({linked_steps(all_[i].text), false, std::string(to_string(all_[i].id))});
      }
    }
    return taken;
  }
  std::vector<Paragraph> rest() {
    std::vector<Paragraph> taken;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      if (told_.insert(i).second)
        taken.push_back({linked_steps(all_[i].text), false, std::string(to_string(all_[i].id))});
    }
    return taken;
  }

 private:
  const std::vector<Statement>& all_;
  std::set<std::size_t> told_;
};

/// Bold words before one of the answer's paragraphs.
void lead(Answer& answer, Topic id, const char* words) {
  for (Paragraph& p : answer.paragraphs) {
    if (p.id != to_string(id)) continue;
    Prose text = Strong{words};
    for (const Prose::Piece& piece : p.text.pieces()) text << piece;
    p.text = std::move(text);
  }
}

std::vector<Answer> answers(const Audit& audit, Statements& said) {
  std::vector<Answer> all;
  const auto answer = [&](const char* question, std::initializer_list<Topic> ids) {
    std::vector<Paragraph> paragraphs = said.take(ids);
    if (!paragraphs.empty()) all.push_back({question, std::move(paragraphs)});
  };
  answer("What happened?", {Topic::what});
  if (audit.incident) {
    answer("Why?", {Topic::cause, Topic::cause_test, Topic::identified});
    answer("What would have helped, and what to do now?",
           {Topic::guarded_posterior, Topic::advice, Topic::watchdog, Topic::clamp});
    lead(all.back(), Topic::guarded_posterior, "A guard. ");
    lead(all.back(), Topic::advice, "Another pose. ");
    answer("Could we have known?", {Topic::preflight});
  } else {
    answer("Which forces stand out?", {Topic::contacts});
    answer("What makes the largest reading?", {Topic::cause, Topic::cause_test});
    answer("How far can the estimates be trusted?", {Topic::posterior, Topic::identified});
  }
  return all;
}

/// "step 8, 22.609 s"
Prose when(const Audit& audit, Eigen::Index step) {
  if (step < 0) return {};
  Prose text = "step ";
  text << StepLink{step};
  const VectorX& time = audit.audited.reconstruction.time;
  const Eigen::Index row = row_of(audit, step);
  if (row >= 0 && row < time.size() && std::isfinite(time[row])) text << ", " << Quantity{time[row], "s", 3};
  return text;
}

const Event* first_event(const Audit& audit, EventKind kind, const std::string& subject, Eigen::Index from) {
  for (const Event& event : audit.events) {
    if (event.kind == kind && event.step >= from && (subject.empty() || event.subject == subject)) return &event;
  }
  return nullptr;
}

/// What the numbers rest on beside log and model: ", the base taken for upright".
std::string upright(const Audit& audit) {
  return audit.base == Base::fixed || audit.audited.reconstruction.used_imu ? "" : ", the base taken for upright";
}

/// What the log shows in the order of time. What follows is in the log; that it follows from the force is not: the log
/// holds no wrench that was read.
Section chain_section(const Audit& audit) {
  Section section{"chain", "How one thing led to the next", {}};
  if (!audit.incident || audit.focus_step < 0) return section;
  const std::string label = label_of(audit, audit.focus_endpoint);
  Chain chain;
  const auto node = [&](const char* title, const std::string& text, Eigen::Index step, bool inferred, Prose because) {
    chain.nodes.push_back({title, linked_steps(capital(text)), when(audit, step), inferred, std::move(because)});
  };
  for (const PreflightCheck& check : audit.audited.preflight.checks) {
    if (check.kind != PreflightCheckKind::gain || check.passed || check.subject != audit.focus_endpoint) continue;
    node("A pose that amplifies",
         "In the start pose 1 N·m of " + audit.reference_joint + " reads as " + number_text(check.value) +
             " N at the " + label + "; the pre-flight limit is " + number_text(check.limit) + ".",
         audit.audited.reconstruction.first_step, false, {});
  }
  const Event* grown = first_event(audit, EventKind::residual_grown, "", 0);
  if (grown && grown->step <= audit.focus_step) {
    node("Torque beyond gravity", grown->text + ".", grown->step, false,
         "both are in the log, and the force is their product");
  }
  // What was read before the targets jump can have made them jump; what came later cannot.
  const Event* first = first_event(audit, EventKind::force_above, audit.focus_endpoint, 0);
  if (!first || chain.nodes.empty()) return section;
  const Event* jump = first_event(audit, EventKind::target_jump, "", first->step);
  const Event* force = first;
  const Event* strongest = first;
  for (const Event& event : audit.events) {
    if (event.kind != EventKind::force_above || event.subject != audit.focus_endpoint || event.step > audit.focus_step)
      continue;
    strongest = &event;
    if (!jump || event.step <= jump->step) force = &event;
  }
  std::string because = "computed from the log and the robot’s model";
  for (const Attribution& a : audit.attributions) {
    if (a.estimator != EstimatorName::deployed || a.largest < 0) continue;
    because = "at step " + std::to_string(a.step) + " " + audit.motor_labels[a.largest] + " makes " +
              number_text(a.contribution(a.axis, a.largest)) + " N of " + axis_name(a.axis) + " " +
              number_text(a.wrench[a.axis]) + " N";
  }
  constexpr const char* kOrder = "the log shows only the order in time";
  node("A force is read", force->text + ".", force->step, false, because);
  if (jump && jump->step <= strongest->step) {
    node("Targets jump", jump->text + ".", jump->step, true,
         audit.has_deployed ? "the log holds no wrench that the consumer read" : "");
  }
  if (strongest != force) node("The force grows", strongest->text + ".", strongest->step, true, kOrder);
  if (const Event* limit = first_event(audit, EventKind::torque_limit, "", strongest->step)) {
    node("Rated torque passed", limit->text + ".", limit->step, true, kOrder);
  }
  section.blocks = {chain,
                    Paragraph{"A full arrow is computed from the log and the robot’s model" + upright(audit) +
                                  ". A dashed one is inferred: both of its ends are in the log, the link between them "
                                  "is not.",
                              true}};
  return section;
}

/// What the log shows at the focus step, and what a model makes of it.
struct Known {
  Definitions facts, inference;
};
Known known_at_focus(const Audit& audit) {
  Known known;
  if (audit.focus_step < 0) return known;
  const Reconstruction& r = audit.audited.reconstruction;
  const Eigen::Index row = row_of(audit, audit.focus_step);
  const int axis = audit.focus_axis;
  const std::string component = axis_name(axis);
  const auto force = [&](const EstimateSeries& s) {
    Prose text = "|F| ";
    text << Quantity{s.force_norm[row], "N"} << ", " + component + " " << Quantity{s.wrench(row, axis), "N"};
    return text;
  };
  for (const EstimateSeries& s : r.series) {
    if (!s.consumed) continue;
    if (s.estimator == EstimatorName::deployed) {
      known.facts.items.push_back(
          {s.label + " at step " + std::to_string(audit.focus_step) + ", " + as_deployed(audit), force(s)});
      if (s.peak_step >= 0) {
        Prose peak = "|F| ";
        peak << Quantity{s.peak_force, "N"} << " at step " << StepLink{r.first_step + s.peak_step};
        known.facts.items.push_back({s.label + ", peak " + as_deployed(audit), peak});
      }
    }
    if (s.endpoint != audit.focus_endpoint) continue;
    if (s.estimator == EstimatorName::deployed) {
      known.facts.items.push_back({"Condition number", Quantity{s.kappa[row]}});
      if (std::isfinite(s.reference_gain(row, 2))) {
        known.facts.items.push_back(
            {"Fz per N·m of " + audit.reference_joint, Quantity{s.reference_gain(row, 2), "N"}});
      }
      known.facts.items.push_back({"Published guards in their default order", in_words(to_string(s.verdict[row]))});
    } else if (s.posterior) {
      const PosteriorTrace& trace = *s.posterior;
      Prose number = component + " ";
      number << Quantity{s.wrench(row, axis), ""} << " ± " << Quantity{trace.sd(row, axis), "N"} << ", worst sd "
             << Quantity{trace.worst_sd[row], "N"};
      known.inference.items.push_back({"Posterior of the limb’s own rows", number});
      Prose nis;
      nis << Quantity{trace.nis[row]} << " against " << Quantity{trace.nis_threshold[row]};
      known.inference.items.push_back({"NIS, and its alarm limit", nis});
      Prose guard;
      guard << state_word(trace.state[row]) << "; the " + reader_word(audit) + " reads " + component + " "
            << Quantity{s.guarded_force(row, axis), "N"};
      known.inference.items.push_back({"The posterior’s guard", guard});
    } else {
      known.inference.items.push_back(
          {"All endpoints at once (" + std::string(to_string(s.estimator)) + ")", force(s)});
    }
  }
  for (const Attribution& a : audit.attributions) {
    if (a.estimator != EstimatorName::deployed || a.largest < 0) continue;
    Prose part;
    part << Quantity{a.contribution(axis, a.largest), "N"}
         << " from " + audit.motor_labels[a.largest] + ", whose torque beyond gravity is "
         << Quantity{a.residual[a.largest], "N·m"};
    known.facts.items.push_back({"Largest part of the " + deployed_word(audit) + " " + component, part});
  }
  return known;
}

Section knowledge_section(const Audit& audit) {
  Known known = known_at_focus(audit);
  Bullets missing, next;
  for (const Statement& s : audit.cannot_tell) missing.items.push_back({s.text});
  for (const Statement& s : audit.next_checks) next.items.push_back({linked_steps(s.text)});
  Columns columns;
  columns.columns.push_back(
      {"Computed", "Follows from the log and the robot’s model" + upright(audit) + ".", {std::move(known.facts)}});
  columns.columns.push_back({"Inference",
                             "Rests on the stated noise and priors, or on what the log does not hold.",
                             {std::move(known.inference), std::move(missing)}});
  columns.columns.push_back({"Next checks", "What would settle what this log leaves open.", {std::move(next)}});
  return {"knowledge", "Computed, inferred, to be checked", {std::move(columns)}};
}

Tone tone_of(EventKind kind) {
  switch (kind) {
    case EventKind::force_above:
    case EventKind::peak_force: return Tone::vermillion;
    case EventKind::nis_alarm:
    case EventKind::guard_refuses:
    case EventKind::guard_acts: return Tone::blue;
    case EventKind::torque_limit:
    case EventKind::peak_torque: return Tone::purple;
    case EventKind::target_jump: return Tone::green;
    default: return Tone::muted;
  }
}

Section timeline_section(const Audit& audit) {
  Timeline timeline;
  for (const Event& event : audit.events) {
    if (timeline.moments.empty() || timeline.moments.back().step != event.step) {
      timeline.moments.push_back({event.step, event.time, {}});
    }
    timeline.moments.back().entries.push_back({capital(event.text), tone_of(event.kind)});
  }
  return {"timeline", "Timeline", {timeline}, true};
}

/// The figure that stands beside the verdict on the posterior.
constexpr const char* kPosteriorFigure = "posterior-force";
/// The one in the section of the chain.
constexpr const char* kCausalFigure = "causal-graph";

/// The graph below the chain; alone where nothing led to an incident.
Section chain_and_graph(const Audit& audit, const std::vector<NamedFigure>& figures) {
  Section section = chain_section(audit);
  if (section.blocks.empty()) section.title = "How the largest reading comes about";
  for (const NamedFigure& figure : figures) {
    if (figure.id == kCausalFigure) section.blocks.emplace_back(Figures{{figure}});
  }
  return section;
}

Section posterior_section(Statements& said, const std::vector<NamedFigure>& figures) {
  Columns columns;
  const std::pair<const char*, Topic> topics[] = {{"The estimate with its uncertainty", Topic::posterior},
                                                  {"From which size an error shows", Topic::reliability},
                                                  {"Where no test can help", Topic::undetectable}};
  for (const auto& [title, id] : topics) {
    Columns::Column column{title, "", {}};
    for (Paragraph& p : said.take({id})) column.blocks.emplace_back(std::move(p));
    columns.columns.push_back(std::move(column));
  }
  Section section{"saved", "An estimate with its uncertainty", {std::move(columns)}};
  Figures beside;
  for (const NamedFigure& figure : figures) {
    if (figure.id == kPosteriorFigure) beside.figures.push_back(figure);
  }
  section.blocks.emplace_back(std::move(beside));
  return section;
}

Section figures_section(std::vector<NamedFigure> figures) {
  std::erase_if(figures,
                [](const NamedFigure& figure) { return figure.id == kPosteriorFigure || figure.id == kCausalFigure; });
  return {"figures", "Further plots", {Figures{std::move(figures)}}, true};
}

Prose subtitle(const Audit& audit) {
  const Episode& episode = audit.audited.episode;
  const std::string of = audit.whole.steps > 0 ? " of " + std::to_string(audit.whole.steps) : "";
  std::string text = std::to_string(episode.steps()) + of + (episode.steps() == 1 ? " step" : " steps");
  for (std::size_t i = 0; i < audit.baselines.size(); ++i) {
    text += (i == 0 ? ", compared with " : ", ") + audit.baselines[i].episode.name;
  }
  text += ". Base: " + audit.base_text + payloads_text(audit.payloads);
  if (audit.base != Base::fixed) text += "; its orientation: " + audit.base_orientation;
  if (!audit.check.log.empty() && serious_findings(audit.check).empty()) text += ". Set-up: nothing found";
  return text + ".";
}

constexpr std::size_t kMostNotesAbove = 5;  ///< above; all are below

/// How the log was read, and what was found in it that is no verdict; behind the first answer.
void add_notes(const Audit& audit, std::vector<Answer>& answers) {
  const std::vector<std::string> notes = note_texts(audit.audited.episode.notes, FrontEnd::command_line);
  if (notes.empty()) return;
  Answer answer{"Notes on the log", {}};
  for (std::size_t i = 0; i < std::min(notes.size(), kMostNotesAbove); ++i) {
    answer.paragraphs.push_back({linked_steps(capital(notes[i]) + "."), true});
  }
  if (notes.size() > kMostNotesAbove) {
    answer.paragraphs.push_back(
        {std::to_string(notes.size() - kMostNotesAbove) + " more notes stand at the end of the page.", true});
  }
  answers.insert(answers.begin() + std::min<std::ptrdiff_t>(1, std::ssize(answers)), std::move(answer));
}

/// All of them, where they are too many for the top.
Section notes_section(const Audit& audit) {
  Section section{"notes", "All notes on the log", {}, true};
  const std::vector<std::string> notes = note_texts(audit.audited.episode.notes, FrontEnd::command_line);
  if (notes.size() <= kMostNotesAbove) return section;
  Bullets bullets;
  for (const std::string& note : notes) bullets.items.push_back({linked_steps(capital(note) + ".")});
  section.blocks.emplace_back(std::move(bullets));
  return section;
}

}  // namespace

}  // namespace detail

Page audit_page(const Audit& audit, std::shared_ptr<const MeshFiles> meshes) {
  Page page;
  page.kicker = "Antaeus audit · " + audit.robot_title;
  page.title = audit.audited.episode.name;
  switch (audit.outcome) {
    case Outcome::incident: page.badge = "incident", page.badge_tone = Tone::vermillion; break;
    case Outcome::no_incident: page.badge = "no incident", page.badge_tone = Tone::green; break;
    case Outcome::wrong_set_up: page.badge = "wrong set-up", page.badge_tone = Tone::vermillion; break;
    case Outcome::cannot_be_told: page.badge = "undetermined", page.badge_tone = Tone::muted; break;
  }
  page.subtitle = detail::subtitle(audit);
  detail::Statements said(audit.verdict);
  page.answers = detail::answers(audit, said);
  detail::add_notes(audit, page.answers);
  std::vector<Answer> set_up = detail::set_up_answers(audit.check);
  page.answers.insert(page.answers.begin(), std::make_move_iterator(set_up.begin()),
                      std::make_move_iterator(set_up.end()));
  page.views = detail::audit_views(audit, std::move(meshes));
  std::vector<NamedFigure> figures = audit_figures(audit);
  page.sections = {detail::whole_log_section(audit),           detail::chain_and_graph(audit, figures),
                   {"explore", "Look closer", {ViewsPlace{}}}, detail::contacts_section(audit),
                   detail::knowledge_section(audit),           detail::posterior_section(said, figures)};
  page.sections.push_back({"further", "Also found", {Bullets{said.rest()}}, true});
  for (Section (*make)(const Audit&) : {detail::remedies_section, detail::guard_section, detail::reliability_section,
                                        detail::attribution_section, detail::timeline_section}) {
    page.sections.push_back(make(audit));
  }
  page.sections.push_back(detail::figures_section(std::move(figures)));
  for (Section (*make)(const Audit&) :
       {detail::poses_section, detail::preflight_section, detail::episodes_section, detail::first_steps_section,
        detail::joints_section, detail::provenance_section}) {
    page.sections.push_back(make(audit));
  }
  page.sections.push_back(detail::notes_section(audit));
  return page;
}

std::string html_report(const Audit& audit, std::shared_ptr<const MeshFiles> meshes) {
  return html_page(audit_page(audit, std::move(meshes)));
}

}  // namespace antaeus
