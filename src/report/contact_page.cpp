// The page of a motion's contacts: four questions, each answered from the result.
#include <algorithm>
#include <cmath>

#include "antaeus/contact/contact_result.hpp"
#include "antaeus/core/messages.hpp"
#include "antaeus/report/pages.hpp"
#include "antaeus/robot/robot_profile.hpp"
#include "episode/fitted_log.hpp"
#include "report/contact_sections.hpp"
#include "report/page_words.hpp"
#include "report/view_samples.hpp"

namespace antaeus {

namespace detail {

namespace {

constexpr int kMostContacts = 6;        ///< that are told one by one
constexpr std::size_t kMostBroken = 8;  ///< limits that are told one by one
constexpr std::size_t kMostHidden = 5;  ///< hidden contacts that are told one by one
constexpr double kTwoSided = 1.959964;  ///< [sd] of 95 %
constexpr double kAtLimit = 0.05;       ///< [N] what a solver leaves of a margin
constexpr double kNoResidual = 1e-6;    ///< [1] share of the weight that rounding leaves

}  // namespace

void add_step(Prose& text, const ContactReading& reading, Eigen::Index step) {
  text << "step " << StepLink{step};
  if (reading.figures().has_clock()) text << " (" << Quantity{reading.figures().time_at(step), "s", 3} << ")";
}

namespace {

/// "120 steps over 1.2 s at 100 Hz; each step for itself"
Prose subtitle(const ContactReading& r) {
  const ContactResult& result = r.result();
  const ContactFigures& all = r.figures();
  Prose text = counted(all.frames, "step", "steps");
  if (all.has_clock() && all.frames > 1) {
    text << " over " << Quantity{all.time_end - all.time_begin, "s"};
    if (all.dt > 0.0) text << " at " << Quantity{1.0 / all.dt, "Hz"};
  } else {
    text << (all.frames > 1 ? ", states without a clock" : "");
  }
  if (result.request.inverse_dynamics) {
    if (result.options.compatibility == Compatibility::nimble) text << ", derivatives as Nimble makes them";
    return text << "; inverse dynamics, no contact" + payloads_text(result.payloads) + ".";
  }
  text << "; contacts: " + listed(r.demand().contacts);
  if (result.posterior && !r.has_robot()) {
    text << "; wrenches: the posterior’s means";
  } else {
    text << (result.request.over_time ? "; all steps together, smooth over time" : "; each step for itself");
  }
  if (result.options.compatibility == Compatibility::nimble) text << ", as Nimble does";
  return text << payloads_text(result.payloads) << ".";
}

// --- What carries the robot? -----------------------------------------------------------------------------------------

Answer carried(const ContactReading& r) {
  Answer answer{"What carries the " + r.who() + "?", {}};
  const double weight = r.result().weight;
  Prose shares = "The weight is ";
  shares << Quantity{weight, "N"} << ". Over the whole motion";
  const ContactFigures& figures = r.figures();
  for (int c = 0; c < r.contacts(); ++c) {
    const Spread& all = figures.contacts[static_cast<std::size_t>(c)].vertical;
    shares << (c == 0                 ? " "
               : c + 1 < r.contacts() ? ", "
                                      : " and ")
           << Strong{r.name(c)} << (c == 0 ? " carries " : " ") << Quantity{100.0 * all.mean() / weight, "%"}
           << (c == 0 ? " of it" : "");
  }
  const bool any = std::any_of(figures.contacts.begin(), figures.contacts.end(),
                               [](const ContactFigures::OfContact& one) { return one.vertical.count > 0; });
  if (!any) {
    answer.paragraphs.push_back({"No step has wrenches: nothing can be determined.", false, "no_numbers"});
    return answer;
  }
  answer.paragraphs.push_back({shares << ": the mean vertical force on the " + r.who() + ".", false, "shares"});
  for (int c = 0; c < std::min(r.contacts(), kMostContacts); ++c) {
    const ContactFigures::OfContact& one = figures.contacts[static_cast<std::size_t>(c)];
    const Spread& meanwhile = one.pushing;
    Prose text = Strong{r.name(c)};
    if (meanwhile.count == 0) {
      answer.paragraphs.push_back({text << " is in contact in no step that has numbers."});
      continue;
    }
    text << (one.touching == figures.frames ? " is in contact in every step"
                                            : " is in contact in " + std::to_string(one.touching) + " of " +
                                                  counted(figures.frames, "step", "steps"))
         << " and pushes the " + r.who() + " up with " << Quantity{meanwhile.mean(), "N"}
         << " on average meanwhile, with at most " << Quantity{meanwhile.largest, "N"};
    if (std::isfinite(one.pushing_sd)) text << " ± " << Quantity{one.pushing_sd, "N"} << " (one sd)";
    text << " at ";
    add_step(text, r, meanwhile.at_largest);
    answer.paragraphs.push_back({text << "."});
  }
  if (r.contacts() > kMostContacts) {
    answer.paragraphs.push_back({"The other contacts are in the tables below.", true});
  }
  return answer;
}

// --- Is it possible? -------------------------------------------------------------------------------------------------

/// In the order of kMarginFields.
constexpr const char* kMarginWords[] = {"the ground pushes", "friction", "the centre of pressure on the sole",
                                        "turning on the ground", "the motors’ torques"};

Answer possible(const ContactReading& r) {
  const ContactResult& result = r.result();
  Answer answer{"Is it possible?", {}};
  std::vector<std::string> known;
  const char* nearest = nullptr;
  Spread margin;
  for (std::size_t m = 0; m < std::size(kMarginWords); ++m) {
    const Spread& all = r.figures().margins[m];
    if (all.count == 0) continue;
    known.emplace_back(kMarginWords[m]);
    if (!nearest || all.least < margin.least) margin = all, nearest = kMarginWords[m];
  }
  const std::string of_known = known.empty() ? "" : " Known: " + listed(known) + ".";
  if (!r.was_checked()) {
    Prose text = Strong{"Not checked. "};
    text << (r.has_robot() ? "No limits were requested, so these wrenches keep none."
                           : "A total wrench does not show friction, soles and motors.");
    if (nearest && margin.least < 0.0) {
      text << std::string(" They miss one, ") + nearest + ", by " << Quantity{-margin.least, "N"} << " at ";
      add_step(text, r, margin.at_least);
      text << "; others may not: request limits to find out";
      text << ".";
    }
    answer.paragraphs.push_back({text, false, "not_checked"});
    return answer;
  }
  const std::string friction = result.request.limits == LimitSet::cone ? "friction as a cone" : "friction as a pyramid";
  const std::vector<BrokenLimit> broken = broken_limits(r.figures());
  if (broken.empty()) {
    Prose text = Strong{"Yes. "};
    text << "These wrenches keep every limit that is known (" + friction + ").";
    if (nearest) {
      text << std::string(" Nearest comes ") + nearest + ", ";
      if (margin.least < kAtLimit) {
        text << "which is at its limit at ";
      } else {
        text << Quantity{margin.least, "N"} << " from its limit at ";
      }
      add_step(text, r, margin.at_least);
      text << ".";
    }
    answer.paragraphs.push_back({text << of_known, false, "feasible"});
    return answer;
  }
  Prose text = Strong{"No. "};
  text << "No wrenches of these contacts keep all limits in " + std::to_string(r.figures().broken_frames) + " of " +
              counted(r.figures().frames, "step", "steps") + " (" + friction +
              "). Those that break them least, by the sum of newtons:";
  answer.paragraphs.push_back({text, false, "infeasible"});
  for (std::size_t i = 0; i < std::min(broken.size(), kMostBroken); ++i) {
    const BrokenLimit& one = broken[i];
    Prose line = Strong{one.subject};
    line << ": " + in_words(one.kind) + " in " + counted(one.size.count, "step", "steps") + ", at worst by "
         << Quantity{one.size.largest, "N"} << " at ";
    add_step(line, r, one.size.at_largest);
    answer.paragraphs.push_back({line << "."});
  }
  answer.paragraphs.push_back({"Moments and torques count at a lever of 0.1 m: 1 N·m is 10 N." + of_known, true});
  return answer;
}

// --- What does the motion not determine? -----------------------------------------------------------------------------

/// The interval of each squeeze, on average over the steps in which both touch.
void squeezes(const ContactReading& r, const ContactPosterior& posterior, Answer& answer) {
  for (std::size_t i = 0; i < posterior.pairs.size(); ++i) {
    const FootPair& pair = posterior.pairs[i];
    const Spread &size = r.figures().pairs[i].squeeze, &sd = r.figures().pairs[i].sd;
    if (size.count == 0) continue;
    Prose text = "While both are in contact, the squeeze between " + r.name(pair.a) + " and " + r.name(pair.b) +
                 ", by which the ground pushes both feet towards each other, lies between ";
    text << Quantity{size.mean() - kTwoSided * sd.mean(), "N"} << " and "
         << Quantity{size.mean() + kTwoSided * sd.mean(), "N"}
         << " (95 %, on average of " + counted(size.count, "step", "steps") +
                "). That interval is knowledge about feet, not of the motion.";
    answer.paragraphs.push_back({text, false, "squeeze"});
  }
}

void hidden(const ContactReading& r, const ContactPosterior& posterior, Answer& answer) {
  const HiddenTrace& trace = posterior.hidden;
  if (trace.force.size() == 0) return;
  for (std::size_t i = 0; i < std::min(trace.seen.size(), kMostHidden); ++i) {
    const HiddenContact& one = trace.seen[i];
    Prose text = Strong{"Something else carries the " + r.who() + ", too: "};
    text << "from " << Quantity{one.from, "s", 2} << " to " << Quantity{one.to, "s", 2}
         << " another contact pushes it up with " << Quantity{one.size, "N"} << " ± " << Quantity{one.sd, "N"}
         << ", with at least " << Quantity{one.lower, "N"} << " (95 %), at (" << Quantity{one.place.x(), "", 2} << ", "
         << Quantity{one.place.y(), "", 2} << ", " << Quantity{one.place.z(), "m", 2} << ") ± "
         << Quantity{one.place_sd, "m", 2} << " in the world.";
    answer.paragraphs.push_back({text, false, "hidden"});
  }
  Prose text = trace.seen.empty() ? "No contact besides these is certain. " : "";
  text << "A contact of less than about " << Quantity{kTwoSided * trace.resolution, "N"} << " would not show.";
  answer.paragraphs.push_back({text, true, "hidden_resolution"});
}

Answer open(const ContactReading& r) {
  const ContactResult& result = r.result();
  Answer answer{"What does the motion not determine?", {}};
  const ContactPosterior* posterior = r.posterior();
  if (r.figures().together <= 1 && r.contacts() > 0) {
    answer.paragraphs.push_back(
        {"Never more than one of these contacts is active at a time: the motion then shows what "
         "it exerts, as far as motion and masses are right.",
         false, "one_contact"});
  } else if (posterior && !posterior->unobservable.empty()) {
    answer.paragraphs.push_back({"The motion holds the sum of all contacts and nothing else. Not in it: " +
                                     listed(posterior->unobservable) + ".",
                                 false, "unobservable"});
  } else {
    answer.paragraphs.push_back({"The motion gives six equations per step, the active contacts have up to " +
                                     std::to_string(r.figures().unknowns) +
                                     " unknowns: what that leaves open is a choice, the one of least effort.",
                                 false, "choice"});
  }
  if (posterior) {
    squeezes(r, *posterior, answer);
    hidden(r, *posterior, answer);
  }
  if (!r.has_sd()) {
    answer.paragraphs.push_back(
        {"The uncertainty of these wrenches is not known: " + result.sd_because + ".", false, "no_sd"});
  } else if (r.has_robot()) {
    answer.paragraphs.push_back(
        {"Sds are root mean square errors to be expected: of the posterior, and of how far "
         "these wrenches are from its means.",
         true});
  }
  return answer;
}

// --- What is left? ---------------------------------------------------------------------------------------------------

Answer left(const ContactReading& r) {
  const ContactResult& result = r.result();
  Answer answer{"What is left?", {}};
  const Spread &force = r.figures().residual_force, &moment = r.figures().residual_moment;
  const double limit = result.options.residual_limit;
  if (force.count > 0) {
    Prose text;
    if (force.largest <= kNoResidual * result.weight) {
      text << "Nothing: the contacts make all of the force that the motion needs at the root.";
    } else {
      text << "Of the force that the motion needs at the root, the contacts leave " << Quantity{force.rms(), "N"}
           << " (root mean square), " << Quantity{100.0 * force.rms() / result.weight, "%"}
           << " of the weight; at most " << Quantity{force.largest, "N"} << ", at ";
      add_step(text, r, force.at_largest);
      text << ". Of the moment they leave at most " << Quantity{moment.largest, "N·m"} << ".";
    }
    answer.paragraphs.push_back({text, false, "residual"});
    if (!result.residual_fine) {
      Prose beyond = Strong{"Beyond the limit"};
      beyond << " of " << Quantity{100.0 * limit, "%"}
             << " of the weight: a contact is missing, or motion, masses and contact times do not fit together.";
      answer.paragraphs.push_back({beyond, false, "residual_limit"});
    }
  }
  const bool wrenches = std::none_of(r.demand().kinds.begin(), r.demand().kinds.end(),
                                     [](ContactType kind) { return kind == ContactType::point; });
  if (wrenches && r.has_robot() && !r.was_checked() && result.residual_fine) {
    answer.paragraphs.push_back(
        {"A contact that exerts force and moment without limits explains any motion: that "
         "little is left proves nothing.",
         true});
  }
  if (r.figures().changed > 0) {
    const Spread& change = r.figures().root_change;
    Prose text = "That was taken out by changing the acceleration of the base by at most ";
    text << Quantity{change.largest, "m/s²"} << ", at ";
    add_step(text, r, change.at_largest);
    answer.paragraphs.push_back({text << ". The torques are those of the changed motion.", false, "root_change"});
  }
  const Eigen::Index bad = r.figures().bad;
  if (bad > 0)
    answer.paragraphs.push_back({counted(bad, "step has", "steps have") + " no numbers: gaps in the plots."});
  for (const std::string& remark : result.remarks) answer.paragraphs.push_back({remark, true});
  if (result.posterior && !result.posterior->remark.empty()) {
    answer.paragraphs.push_back({result.posterior->remark, true});
  }
  return answer;
}

// --- Without contacts ------------------------------------------------------------------------------------------------

/// Inverse dynamics alone: what would have to hold the robot, and what its motors do meanwhile.
std::vector<Answer> without_contacts(const ContactReading& r) {
  const ContactResult& result = r.result();
  const Spread &force = r.figures().root_force, &moment = r.figures().root_moment;
  Answer held{"What would have to hold the robot?", {}};
  Prose text = "A force of ";
  text << Quantity{force.rms(), "N"} << " (root mean square), " << Quantity{100.0 * force.rms() / result.weight, "%"}
       << " of the weight: no contact was assumed, the root is held as by a crane.";
  held.paragraphs.push_back({text, false, "root"});
  Prose largest = "About the origin of the base, the force is at most ";
  largest << Quantity{force.largest, "N"} << ", at ";
  add_step(largest, r, force.at_largest);
  largest << ", the moment at most " << Quantity{moment.largest, "N·m"} << ", at ";
  add_step(largest, r, moment.at_largest);
  held.paragraphs.push_back({largest << ".", false, "root_largest"});
  Answer motors{"What do the motors exert?", {}};
  Eigen::Index worst = -1;
  Spread torque;
  double share = 0.0;
  std::vector<std::string> beyond;
  for (Eigen::Index j = 0; j < r.joints(); ++j) {
    const Spread& own = r.figures().joints[static_cast<std::size_t>(j)].size;
    const double of_limit = own.largest / r.torque_limit(j);
    if (of_limit > 1.0) beyond.push_back(r.joint(j));
    const double weight = r.has_torque_limits() ? of_limit : own.largest;
    if (own.count > 0 && (worst < 0 || weight > share)) worst = j, share = weight, torque = own;
  }
  if (worst >= 0) {
    Prose most = Strong{r.joint(worst)};
    most << " does most: " << Quantity{torque.largest, r.torque_unit(worst)} << " at ";
    add_step(most, r, torque.at_largest);
    if (r.has_torque_limits()) most << ", " << Quantity{100.0 * share, "%"} << " of its limit";
    motors.paragraphs.push_back({most << ".", false, "motor"});
  } else {
    motors.paragraphs.push_back({"There are no joints.", false, "motor"});
  }
  if (!beyond.empty()) {
    motors.paragraphs.push_back({"Beyond the limit: " + listed(beyond) + ".", false, "beyond"});
  }
  motors.paragraphs.push_back({"Contacts would change these torques: name them with " + arg(Input::contact) +
                                   " for the torques of a robot that stands.",
                               true});
  return {held, motors};
}

void badge(const ContactReading& r, Page& page) {
  const ContactResult& result = r.result();
  if (result.request.inverse_dynamics) {
    page.badge = "no contact", page.badge_tone = Tone::muted;
    return;
  }
  const bool any = r.figures().any_wrench;
  page.badge_tone = Tone::vermillion;
  if (!any) {
    page.badge = "undetermined", page.badge_tone = Tone::muted;
  } else if (!result.feasible) {
    page.badge = "infeasible";
  } else if (!result.residual_fine) {
    page.badge = "residual beyond its limit";
  } else if (!r.was_checked()) {
    page.badge = "limits not checked", page.badge_tone = Tone::muted;
  } else {
    page.badge = "fine", page.badge_tone = Tone::green;
  }
}

}  // namespace

}  // namespace detail

namespace {

/// All but the views.
Page page_of(const detail::ContactReading& reading) {
  const ContactResult& result = reading.result();
  Page page;
  page.kicker = "Antaeus contact" + (result.robot.empty() ? std::string() : " · " + result.robot);
  page.title = result.motion;
  page.subtitle = detail::subtitle(reading);
  detail::badge(reading, page);
  if (result.request.inverse_dynamics) {
    page.answers = detail::without_contacts(reading);
  } else {
    page.answers = {detail::carried(reading), detail::possible(reading), detail::open(reading), detail::left(reading)};
  }
  page.sections.push_back({"explore", "Look closer", {ViewsPlace{}}});
  for (Section& section : detail::contact_sections(reading)) page.sections.push_back(std::move(section));
  return page;
}

}  // namespace

Page contact_page(const ContactResult& result, std::shared_ptr<const MeshFiles> meshes) {
  const auto reading = std::make_shared<detail::ContactReading>(result);
  Page page = page_of(*reading);
  page.views = detail::contact_views(reading, std::move(meshes));
  return page;
}

struct ContactPageOfBlocks::Impl {
  Impl(Eigen::Index frames, std::shared_ptr<const MeshFiles> meshes) : keeper(frames), drawn(std::move(meshes)) {}

  void turn_to(const ContactResult& block) {
    if (reading) {
      reading->turn_to(block);
      return;
    }
    reading = std::make_shared<detail::ContactReading>(block, nullptr);
    views = detail::contact_views_to_be(reading, std::move(drawn));
  }
  double time(Eigen::Index row) const { return reading->time().size() > 0 ? reading->time()[row] : kNaN; }

  detail::RowKeeper keeper;
  std::shared_ptr<const MeshFiles> drawn;
  std::shared_ptr<detail::ContactReading> reading;  ///< of the block that is there now
  Views views;
};

ContactPageOfBlocks::ContactPageOfBlocks(Eigen::Index frames, std::shared_ptr<const MeshFiles> meshes)
    : impl_(std::make_unique<Impl>(frames, std::move(meshes))) {}
ContactPageOfBlocks::~ContactPageOfBlocks() = default;

void ContactPageOfBlocks::take(const ContactResult& block) {
  impl_->turn_to(block);
  impl_->keeper.take(
      impl_->views.channels, [this](Eigen::Index row) { return impl_->time(row); }, block.first_frame,
      block.dynamics.demand.frames());
}

std::pair<Eigen::Index, Eigen::Index> ContactPageOfBlocks::shown_whole(const ContactResult& whole) {
  return impl_->keeper.open_window(detail::focus_of(*detail::figures_of(whole), whole).row);
}

void ContactPageOfBlocks::take_again(const ContactResult& block) {
  impl_->turn_to(block);
  impl_->keeper.take_again(
      impl_->views.channels, [this](Eigen::Index row) { return impl_->time(row); }, block.first_frame,
      block.dynamics.demand.frames());
}

Page ContactPageOfBlocks::finish(const ContactResult& whole) {
  const detail::ContactReading reading(whole);
  Page page = page_of(reading);
  Views& views = impl_->views;
  const std::shared_ptr<const detail::KeptRows> kept = impl_->keeper.finish(views.channels);
  detail::finish_views(views, reading, [&](ChannelId channel) { return kept->any[static_cast<std::size_t>(channel)]; });
  if (!views.empty()) {
    views.runs.front().rows = reading.figures().frames;
    views.runs.front().kept = kept;
    views.note += (views.note.empty() ? "" : " ") +
                  ("Of " + std::to_string(kept->bin) +
                   " steps each, plots show the least and the largest value, and the scene the first; the steps around "
                   "the mark are all there, and every step is in the tables next to this page.");
  }
  page.views = std::move(views);
  return page;
}

}  // namespace antaeus
