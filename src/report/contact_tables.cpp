// The tables of a motion's contacts, and how the page was made.
#include <algorithm>
#include <cmath>

#include "antaeus/core/number_text.hpp"
#include "antaeus/core/option_table.hpp"
#include "antaeus/robot/robot_profile.hpp"
#include "report/contact_sections.hpp"
#include "report/page_words.hpp"

namespace antaeus::detail {

namespace {

/// Mean and largest of each component, in the axes that were asked for.
Section wrenches_section(const ContactReading& r) {
  const ContactResult& result = r.result();
  const bool link = result.request.axes == WrenchAxes::link;
  TableBlock table{"Of all steps; the largest by size, with its sign",
                   {"contact", "", "#Fx [N]", "#Fy [N]", "#Fz [N]", "#Mx [N·m]", "#My [N·m]", "#Mz [N·m]"},
                   {}};
  for (int c = 0; c < r.contacts(); ++c) {
    std::vector<Prose> mean = {r.name(c), "mean"}, largest = {"", "largest"};
    const ContactFigures::OfContact& one = r.figures().contacts[static_cast<std::size_t>(c)];
    for (int row = 0; row < 6; ++row) {
      const auto at = static_cast<std::size_t>(row);
      const int digits = row < 3 ? 1 : 2;
      mean.emplace_back(Quantity{one.component[at].mean(), "", digits});
      largest.emplace_back(Quantity{one.largest[at], "", digits});
    }
    table.rows.push_back({std::move(mean)});
    table.rows.push_back({std::move(largest)});
  }
  const std::string axes = link ? "the contact frame’s own axes" : "world axes";
  return {"wrenches",
          "Wrenches",
          {std::move(table), Paragraph{"Of each contact on the " + r.who() + ", in " + axes +
                                           ", moments about the origin of the contact frame.",
                                       true}},
          2 * static_cast<std::size_t>(r.contacts()) > kMostRows};
}

Section contacts_section(const ContactReading& r) {
  TableBlock table{"Vertical is against gravity",
                   {"contact", "exerts", "#steps in contact", "#mean vertical [N]", "#largest vertical [N]",
                    "#largest horizontal [N]"},
                   {}};
  if (r.has_sd()) table.heads.emplace_back("#mean sd of vertical [N]");
  for (int c = 0; c < r.contacts(); ++c) {
    const ContactFigures::OfContact& one = r.figures().contacts[static_cast<std::size_t>(c)];
    std::vector<Prose> cells = {r.name(c),
                                r.is_point(c) ? "a force" : "force and moment",
                                std::to_string(one.touching),
                                Quantity{one.vertical.mean(), "", 1},
                                Quantity{one.vertical.largest, "", 1},
                                Quantity{one.horizontal.largest, "", 1}};
    if (r.has_sd()) cells.emplace_back(Quantity{one.sd.mean(), "", 1});
    table.rows.push_back({std::move(cells)});
  }
  Section section{"contacts", "Contacts", {std::move(table)}};
  if (r.result().timing) {
    TableBlock found{"Found in the motion of each", {"contact", "#from [s]", "#to [s]", "#probability"}, {}};
    for (const FootContact& one : r.result().timing->intervals) {
      found.rows.push_back(
          {{one.foot, Quantity{one.from, "", 3}, Quantity{one.to, "", 3}, Quantity{one.probability, "", 2}}});
    }
    section.blocks.emplace_back(Folded{"Intervals of contact", {std::move(found)}});
  }
  return section;
}

Section limits_section(const ContactReading& r) {
  if (!r.was_checked()) return {"limits", "Limits", {}};
  Section section{"limits", "Limits", {}};
  TableBlock broken{"Broken", {"of", "how", "#steps", "#at worst by [N]", "#at step"}, {}};
  for (const BrokenLimit& one : broken_limits(r.figures())) {
    broken.rows.push_back({{one.subject, in_words(one.kind), std::to_string(one.size.count),
                            Quantity{one.size.largest, "", 1}, StepLink{one.size.at_largest}}});
  }
  section.folded = broken.rows.size() > kMostRows;
  if (!broken.rows.empty()) section.blocks.emplace_back(std::move(broken));
  TableBlock taken{"What each contact was taken to exert at most",
                   {"contact", "#friction", "#torsion [m]", "#normal force [N]", "sole along x and y [m]"},
                   {}};
  for (int c = 0; c < r.contacts() && static_cast<std::size_t>(c) < r.result().surfaces.size(); ++c) {
    const ContactSurface& surface = r.result().surfaces[static_cast<std::size_t>(c)];
    Prose size = "not known";
    if (surface.has_sole()) {
      size = display_number(2.0 * surface.half_size().x(), 3) + "\u00a0×\u00a0" +
             display_number(2.0 * surface.half_size().y(), 3);
    }
    const bool capped = surface.force_cap > 0.0;
    taken.rows.push_back({{r.name(c), Quantity{surface.friction, "", 2}, Quantity{surface.torsion, "", 3},
                           capped ? Prose(Quantity{surface.force_cap, "", 0}) : Prose("–"), std::move(size)}});
  }
  section.blocks.emplace_back(std::move(taken));
  return section;
}

Section torques_section(const ContactReading& r) {
  TableBlock table{
      "What the motors exert on the joints", {"joint", "unit", "#largest", "#at step", "#limit", "#share"}, {}};
  for (Eigen::Index j = 0; j < r.joints(); ++j) {
    const ContactFigures::OfJoint& all = r.figures().joints[static_cast<std::size_t>(j)];
    const Spread& size = all.size;
    const double limit = r.torque_limit(j);
    const bool limited = std::isfinite(limit);
    TableBlock::Row row{{r.joint(j), r.torque_unit(j), Quantity{all.largest, "", 1},
                         size.at_largest < 0 ? Prose("–") : Prose(StepLink{size.at_largest}),
                         limited ? Prose(Quantity{limit, "", 1}) : Prose("–"),
                         limited ? Prose(Quantity{100.0 * size.largest / limit, "%", 0}) : Prose("–")}};
    if (size.largest > limit) row.mark = TableBlock::Row::Mark::failed;
    table.rows.push_back(std::move(row));
  }
  const bool folded = table.rows.size() > kMostRows;
  Section section{"torques", "Torques", {}, folded};
  if (!table.rows.empty()) section.blocks.emplace_back(std::move(table));
  return section;
}

Section provenance_section(const ContactReading& r) {
  const ContactResult& result = r.result();
  Section section{"provenance", "How this was made", {}};
  Prose made = r.has_robot()
                   ? "Robot " + result.robot + (result.base_text.empty() ? "" : "; base: " + result.base_text) +
                         payloads_text(result.payloads) +
                         ". Torques are what motion, weight and contacts leave for the motors: τ = total − Σ Jᵀ w."
                   : "The total wrench that the motion needs was given without a robot, so there are no "
                     "torques.";
  made << " Every force is that of the contact on the " + r.who() + ".";
  section.blocks.emplace_back(Paragraph{made});
  if (!result.command.empty()) {
    section.blocks.emplace_back(Paragraph{"Reproduce it with this line, in the folder that holds the motion:"});
    section.blocks.emplace_back(CodeLine{result.command});
  }
  TableBlock table{"Every setting of group contact", {"option", "value", "unit", "meaning"}, {}};
  table.rows.push_back({{"over time", result.request.over_time ? "yes" : "no", "", "all steps together"}});
  table.rows.push_back({{"limits", std::string(to_string(result.request.limits)), "", "that are kept"}});
  table.rows.push_back({{"wrench frame", std::string(to_string(result.request.axes)), "", "axes of files and tables"}});
  for (const OptionRow& row : options_of(result.options).rows()) {
    table.rows.push_back({{row.info.name, row.read(&result.options), row.info.unit, row.info.meaning}});
  }
  section.blocks.emplace_back(Folded{"Every setting", {std::move(table)}});
  return section;
}

}  // namespace

std::vector<Section> contact_sections(const ContactReading& reading) {
  if (reading.result().request.inverse_dynamics) return {torques_section(reading), provenance_section(reading)};
  return {contacts_section(reading), wrenches_section(reading), limits_section(reading), torques_section(reading),
          provenance_section(reading)};
}

}  // namespace antaeus::detail
