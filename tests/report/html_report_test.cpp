#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "antaeus/audit/audit.hpp"
#include "antaeus/audit/audit_options.hpp"
#include "antaeus/episode/synthetic_episode.hpp"
#include "antaeus/io/json.hpp"
#include "antaeus/report/pages.hpp"
#include "report/page_texts.hpp"
#include "robot/test_robots.hpp"
#include "support/page_payload.hpp"

namespace antaeus {
namespace {

using test::count_of;

/// Why the page's tags do not balance; empty when they do.
std::string imbalance(const std::string& page) {
  const std::set<std::string> empty_elements = {"meta", "br", "hr", "img", "link", "input"};
  std::vector<std::string> open;
  std::size_t at = 0;
  while ((at = page.find('<', at)) != std::string::npos) {
    // No element may begin inside a style or script but the end of it.
    if (!open.empty() && (open.back() == "style" || open.back() == "script") &&
        page.compare(at, open.back().size() + 2, "</" + open.back()) != 0) {
      ++at;
      continue;
    }
    const std::size_t end = page.find('>', at);
    if (end == std::string::npos) return "a tag is not closed: " + page.substr(at, 40);
    const std::string tag = page.substr(at + 1, end - at - 1);
    at = end + 1;
    if (tag.starts_with("!")) continue;
    if (tag.find('<') != std::string::npos) return "a '<' inside a tag: <" + tag.substr(0, 60);
    const bool closing = tag.starts_with("/");
    std::string name = tag.substr(closing ? 1 : 0, tag.find_first_of(" /", 1) - (closing ? 1 : 0));
    if (closing) name = tag.substr(1);
    if (name.empty() || !std::isalpha(static_cast<unsigned char>(name[0]))) return "no tag: <" + tag.substr(0, 60);
    if (std::count(tag.begin(), tag.end(), '"') % 2 != 0) return "a quote is open in <" + tag.substr(0, 60);
    if (empty_elements.contains(name) || tag.ends_with("/")) continue;
    if (!closing) {
      open.push_back(name);
    } else if (open.empty() || open.back() != name) {
      return "</" + name + "> closes <" + (open.empty() ? "nothing" : open.back()) + ">";
    } else {
      open.pop_back();
    }
  }
  return open.empty() ? "" : "<" + open.back() + "> is never closed";
}

TEST(HtmlChecker, SeesWhatItIsFor) {
  EXPECT_EQ(imbalance("<!doctype html><html><p class=\"a\">x<br></p></html>"), "");
  EXPECT_NE(imbalance("<html><p></html>"), "");
  EXPECT_NE(imbalance("<p><b></p></b>"), "");
  EXPECT_NE(imbalance("<p>a < b</p>"), "");
  EXPECT_NE(imbalance("<p class=\"a>x</p>"), "");
  EXPECT_NE(imbalance("<p>"), "");
  EXPECT_NE(imbalance("</p>"), "");
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// As the page must write it.
std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    safe += c == '&'    ? "&amp;"
            : c == '<'  ? "&lt;"
            : c == '>'  ? "&gt;"
            : c == '"'  ? "&quot;"
            : c == '\'' ? "&#39;"
                        : std::string(1, c);
  }
  return safe;
}

/// The page as a reader sees it: no tags, no breaks that are not there, every number with its minus sign as typed.
std::string as_read(const std::string& page) {
  std::string out;
  bool inside = false;
  for (const char c : page) {
    if (c == '<') inside = true;
    if (!inside) out += c;
    if (c == '>') inside = false;
  }
  for (const auto& [from, to] : {std::pair<std::string, std::string>("−", "-"), {"\u00A0", " "}}) {
    for (std::size_t at = out.find(from); at != std::string::npos; at = out.find(from, at + to.size())) {
      out.replace(at, from.size(), to);
    }
  }
  return out;
}

/// The page without what stands inside its scripts and styles, which never reaches the parser as elements.
std::string without_code(std::string page) {
  for (const std::string name : {"script", "style"}) {
    for (std::size_t at = page.find("<" + name); at != std::string::npos; at = page.find("<" + name, at + 1)) {
      const std::size_t begin = page.find('>', at) + 1;
      page.erase(begin, page.find("</" + name, begin) - begin);
    }
  }
  return page;
}

class HtmlReport : public testing::Test {
 protected:
  static Audit twin_audit(const std::string& audited_name = "twin", const std::string& baseline_name = "good") {
    const Robot robot = test::own_robot("h1_2");
    TwinOptions shortly;
    shortly.duration = 1.0;
    std::vector<Episode> episodes = {make_twin(robot, TwinKind::incident).episode,
                                     make_twin(robot, TwinKind::good, shortly).episode};
    episodes[0].name = audited_name;
    episodes[1].name = baseline_name;
    AuditRequest request;
    request.command = "antaeus audit " + audited_name;
    return run_audit(robot, std::move(episodes), request, AuditOptions{});
  }
};

TEST_F(HtmlReport, IsWellFormedAndSaysEveryStatement) {
  const Audit audit = twin_audit();
  const std::string page = html_report(audit);
  const std::string text = as_read(without_code(page));
  const auto says = [&](const std::string& sentence) { return text.find(escaped(sentence)) != std::string::npos; };
  EXPECT_EQ(imbalance(page), "");
  EXPECT_TRUE(page.starts_with("<!doctype html>"));
  EXPECT_NE(page.find("<html lang="), std::string::npos);
  EXPECT_NE(page.find("<meta charset=\"utf-8\">"), std::string::npos);
  ASSERT_FALSE(audit.verdict.empty());
  ASSERT_FALSE(audit.cannot_tell.empty());
  for (const auto* list : {&audit.verdict, &audit.cannot_tell, &audit.next_checks}) {
    for (const Statement& statement : *list) EXPECT_TRUE(says(statement.text)) << statement.text;
  }
  for (const Event& event : audit.events) EXPECT_TRUE(says(event.text.substr(1))) << event.text;
  for (const Counterfactual& c : audit.counterfactuals) EXPECT_TRUE(says(c.consequence)) << to_string(c.remedy);
  for (const OptionValue& option : audit.settings) {
    EXPECT_NE(page.find(option.group + "." + option.info.name), std::string::npos) << option.info.name;
  }
  EXPECT_NE(page.find(audit.model_sha256), std::string::npos);
  EXPECT_NE(page.find(audit.audited.episode.sha256), std::string::npos);
  EXPECT_NE(page.find(escaped(audit.base_orientation)), std::string::npos);
}

std::string section_of(const std::string& page, const std::string& id) {
  const std::size_t begin = page.find("<section id=\"" + id + "\"");
  return begin == std::string::npos ? "" : page.substr(begin, page.find("</section>", begin) - begin);
}

/// What happened, why, what to do: in that order, above everything else, the guard and the pose first.
TEST_F(HtmlReport, AnswersInTheOrderOfTwoMinutes) {
  const Audit audit = twin_audit();
  const std::string page = html_report(audit);
  std::size_t before = 0;
  for (const char* id :
       {"what", "cause", "cause_test", "guarded_posterior", "advice", "watchdog", "clamp", "preflight"}) {
    const std::string mark = "data-statement=\"" + std::string(id) + "\"";
    const bool told =
        std::any_of(audit.verdict.begin(), audit.verdict.end(), [&](const auto& s) { return to_string(s.id) == id; });
    EXPECT_EQ(count_of(page, mark), told ? 1u : 0u) << id;
    if (!told) continue;
    EXPECT_GT(page.find(mark), before) << id;
    before = page.find(mark);
  }
  EXPECT_LT(before, page.find("<nav"));
  EXPECT_LT(page.find("<nav"), page.find("<section id=\"explore\""));
  for (const Statement& s : audit.verdict)
    EXPECT_EQ(count_of(page, "data-statement=\"" + std::string(to_string(s.id)) + "\""), 1u) << to_string(s.id);
  EXPECT_EQ(count_of(page, "id=\"figure-posterior-force\""), 1u);
}

/// Nobody asks whether an incident could have been known where there was none; contacts are told instead.
TEST_F(HtmlReport, AsksOnlyWhatConcernsTheLog) {
  const Robot robot = test::own_robot("planar_3r");
  Episode episode;
  episode.name = "push";
  const Eigen::Index steps = 400;
  episode.time.setLinSpaced(steps, 0.0, 3.99);
  episode.q.setZero(steps, 3);
  episode.q.col(0).setConstant(0.3);
  episode.q.col(1).setConstant(0.9);
  episode.q.col(2).setConstant(0.4);
  episode.target = episode.q;
  episode.v.setZero(steps, 3);
  episode.tau.setZero(steps, 3);
  Dynamics dynamics(robot.model);
  const PositionTerms at = dynamics.at(VectorX(episode.q.row(0).transpose()));
  VectorX gravity(3);
  at.gravity_torque(gravity);
  test::RandomStates noise(5);  // a channel that never changes is a dead one
  for (Eigen::Index i = 0; i < steps; ++i) {
    episode.tau.row(i) = (gravity + noise.vector(3, 0.01)).transpose();
  }
  // 20 N of the environment on the tool from 1 s to 3 s, sideways: the motors hold against it.
  const std::vector<std::string> tool = robot.endpoint_frames({});
  Matrix6X J = Matrix6X::Zero(6, 3);
  at.frame_jacobian(robot.model.frame(tool.front()), J);
  Vector6 push = Vector6::Zero();
  push[1] = -20.0;
  for (Eigen::Index i = 100; i <= 300; ++i) episode.tau.row(i) -= (J.transpose() * push).transpose();
  const Audit audit = run_audit(robot, {episode}, AuditRequest{}, audit_options(robot));
  ASSERT_FALSE(audit.incident);
  ASSERT_EQ(audit.contacts.size(), 1u);
  const ContactInterval& contact = audit.contacts.front();
  EXPECT_EQ(contact.from, 100);
  EXPECT_EQ(contact.to, 300);
  EXPECT_NEAR(contact.size, 20.0, 3.0 * contact.size_sd);
  EXPECT_LT(contact.size_sd, 6.0) << "or the line above says nothing";
  const std::string page = html_report(audit);
  EXPECT_EQ(page.find("Could we have known"), std::string::npos);
  EXPECT_EQ(section_of(page, "knowledge").find("IMU"), std::string::npos) << "the base is fixed";
  EXPECT_NE(as_read(page).find("step 100 (1.000 s) to step 300 (3.000 s)"), std::string::npos);
  // The push is sideways: what is taken apart is Fy, everywhere.
  EXPECT_EQ(audit.focus_axis, kFy);
  for (const char* text : {"adds to Fy", "Largest part of the plain Fy", "posterior Fy"}) {
    EXPECT_NE(page.find(text), std::string::npos) << text;
  }
  for (const char* text : {"adds to Fz at", "deployed Fz", "posterior Fz", "Of Fz"}) {
    EXPECT_EQ(page.find(text), std::string::npos) << text;
  }
  // Nothing is asked of guards that nobody needed, of causes where nothing went wrong, of baselines that are not there.
  for (const char* text : {"never have acted", "data-statement=\"cause_test\"", "baselines</", "nothing to check"}) {
    EXPECT_EQ(page.find(text), std::string::npos) << text;
  }
  // Without the push there is none.
  episode.tau.middleRows(100, 201) += (J.transpose() * push).transpose().replicate(201, 1);
  EXPECT_TRUE(run_audit(robot, {episode}, AuditRequest{}, audit_options(robot)).contacts.empty());
}

TEST_F(HtmlReport, TellsEveryStateOfTheGuardAndEveryUndetectableJointInWords) {
  const Audit audit = twin_audit();
  const std::string page = html_report(audit);
  const std::string guard = section_of(page, "guard"), reliability = section_of(page, "reliability");
  std::size_t intervals = 0;
  for (const EstimateSeries& s : audit.audited.reconstruction.series) {
    if (s.consumed) intervals += guard_timeline(s, 0).size();
  }
  ASSERT_GT(intervals, 0u);
  EXPECT_EQ(count_of(guard, "class=\"state "), intervals);
  const auto blind = [](const ReliabilityTable& table) {
    return std::count_if(table.rows.begin(), table.rows.end(), [](const auto& row) { return row.undetectable; });
  };
  std::ptrdiff_t expected = 0;
  for (const ReliabilityTable& table : audit.reliability) expected += blind(table);
  ASSERT_GT(expected, 0);
  EXPECT_EQ(static_cast<std::ptrdiff_t>(count_of(reliability, "<strong>undetectable</strong>")), expected);
}

/// A robot that the posterior has nothing to say of: no empty section, no word of it in the data.
TEST_F(HtmlReport, WithoutAPosteriorThePageIsWholeAndSilent) {
  Audit audit = twin_audit();
  const auto strip = [](EpisodeAudit& episode) {
    std::erase_if(episode.reconstruction.series, [](const EstimateSeries& s) { return s.posterior.has_value(); });
  };
  strip(audit.audited);
  for (EpisodeAudit& baseline : audit.baselines) strip(baseline);
  audit.reliability.clear();
  audit.contacts.clear();
  const std::set<std::string> its = {"posterior",  "reliability", "undetectable", "guarded_posterior",
                                     "cause_test", "advice",      "contacts"};
  std::erase_if(audit.verdict, [&](const Statement& s) { return its.contains(std::string(to_string(s.id))); });
  const std::string page = html_report(audit);
  EXPECT_EQ(imbalance(page), "");
  for (const char* id : {"saved", "guard", "reliability", "contacts"}) EXPECT_EQ(section_of(page, id), "") << id;
  EXPECT_EQ(page.find("\"worst-sd\""), std::string::npos);
}

/// Checks of every kind are shown by name, kinds that are added later too.
TEST_F(HtmlReport, EveryCheckOfThePreflightIsShown) {
  Audit audit = twin_audit();
  audit.audited.preflight.checks.push_back({PreflightCheckKind::sd, "left_wrist_yaw_link", 19.985, 5.0, false});
  audit.audited.preflight.checks.push_back({PreflightCheckKind::start_error, "torso_joint", 1.125, 2.0, true});
  const std::string preflight = section_of(html_report(audit), "preflight");
  for (const char* text :
       {">sd [N]<", ">19.985<", ">torso_joint<", ">1.125<", ">gain [N/(N·m)]<", ">start error [rad]<"}) {
    EXPECT_NE(preflight.find(text), std::string::npos) << text;
  }
  for (std::string name : all_names<PreflightCheckKind>()) {
    std::replace(name.begin(), name.end(), '_', ' ');
    EXPECT_NE(preflight.find(">" + name + " ["), std::string::npos) << name;
  }
}

/// The viewer is told everything: it has no list and no name of its own.
TEST_F(HtmlReport, PayloadHoldsNoNumberThatIsNotThere) {
  const Audit audit = twin_audit();
  const Json views = test::payload_of(html_report(audit));
  EXPECT_EQ(views["schema"].text(), "antaeus.views/1");
  const auto channels = static_cast<std::int64_t>(views["channels"].size());
  std::size_t lines = 0;
  for (const Json& panel : views["panels"].items()) {
    for (const char* list : {"lines", "lanes"}) {
      for (const Json& line : panel[list].items()) {
        EXPECT_GE(line["channel"].integer(), 0) << panel["id"].text();
        EXPECT_LT(line["channel"].integer(), channels);
        ++lines;
      }
    }
  }
  EXPECT_GT(lines, 50u);
  // A number that a plot and the table show stands once in the page.
  std::set<std::int64_t> drawn;
  for (const Json& panel : views["panels"].items()) {
    for (const Json& line : panel["lines"].items()) drawn.insert({line["channel"].integer(), line["sd"].integer()});
  }
  std::size_t shared = 0;
  for (const Json& column : views["columns"].items()) shared += drawn.contains(column["channel"].integer());
  EXPECT_EQ(shared, views["columns"].size() - 4) << "all but the guards' words, two at each hand";
  // The words of the published guards are the enumeration's.
  for (const Json& column : views["columns"].items()) {
    if (column["label"].text() == "published guards") {
      EXPECT_EQ(column["words"].size(), all_names<Verdict>().size());
    }
  }
}

/// The drawing stands upright whatever the IMU says, and the page says so.
TEST_F(HtmlReport, KnowsWhetherAnImuTurnedTheBase) {
  Audit audit = twin_audit();
  const auto note = [&](bool used) {
    audit.audited.reconstruction.used_imu = used;
    return test::payload_of(html_report(audit))["note"].text();
  };
  EXPECT_EQ(note(false), "The robot’s base is drawn upright and in place: its pose is not in the log.");
  EXPECT_NE(note(true).find("Its orientation by the IMU is in the forces"), std::string::npos);
}

/// Every id is unique: the statements' are used as anchors.
TEST_F(HtmlReport, AnchorsAreUnique) {
  const std::string page = html_report(twin_audit());
  std::set<std::string> seen;
  for (std::size_t at = page.find(" id=\""); at != std::string::npos; at = page.find(" id=\"", at + 1)) {
    const std::string id = page.substr(at + 5, page.find('"', at + 5) - at - 5);
    EXPECT_TRUE(seen.insert(id).second) << id;
  }
  // Links inside the page lead somewhere.
  for (std::size_t at = page.find(" href=\"#"); at != std::string::npos; at = page.find(" href=\"#", at + 1)) {
    const std::string to = page.substr(at + 8, page.find('"', at + 8) - at - 8);
    EXPECT_TRUE(seen.contains(to) || to.starts_with("step=")) << to;
  }
  EXPECT_TRUE(seen.contains("explore"));
}

TEST_F(HtmlReport, FetchesNothing) {
  const Audit audit = twin_audit();
  std::string page = lower(without_code(html_report(audit)));
  // The name of the SVG format is no address that a browser asks for.
  const std::string svg = "xmlns=\"http://www.w3.org/2000/svg\"";
  for (std::size_t at = page.find(svg); at != std::string::npos; at = page.find(svg)) page.erase(at, svg.size());
  for (const char* reference : {"http:", "https:", "//", "src=", "@import", "<link", "<iframe", "<object"}) {
    EXPECT_EQ(page.find(reference), std::string::npos) << reference;
  }
  EXPECT_EQ(count_of(page, "href="), count_of(page, "href=\"#")) << "links stay inside the page";
  EXPECT_EQ(count_of(page, "url("), count_of(page, "url(#")) << "so do the figures' clips";
  EXPECT_EQ(count_of(page, "<script"), 2u) << "the data and the viewer";
}

TEST_F(HtmlReport, HostileNamesAreText) {
  const std::string hostile = "</title></style><script>alert('x')</script>&amp;\"><img src=x onerror=y>";
  const Audit audit = twin_audit(hostile, "<b>good'\"&");
  const std::string whole = html_report(audit);
  EXPECT_EQ(imbalance(whole), "");
  EXPECT_EQ(count_of(whole, "</script>"), 2u) << "a name ends a script";
  const std::string page = without_code(whole);
  EXPECT_EQ(count_of(page, "<script"), 2u);
  EXPECT_EQ(page.find("alert('x')"), std::string::npos);
  EXPECT_EQ(page.find("<img"), std::string::npos);
  EXPECT_EQ(page.find("<b>good"), std::string::npos);
  EXPECT_NE(page.find(escaped(hostile)), std::string::npos) << "the name is still told";
  EXPECT_NE(page.find("&lt;b&gt;good&#39;&quot;&amp;"), std::string::npos);
}

TEST_F(HtmlReport, SameInputSameBytes) { EXPECT_EQ(html_report(twin_audit()), html_report(twin_audit())); }

/// No number is a word of a programming language, and none is a zero that nobody computed.
TEST_F(HtmlReport, AbsentNumbersAreDashes) {
  const Robot robot = test::own_robot("h1_2");
  Episode episode = make_twin(robot, TwinKind::incident).episode;
  episode.tau.setConstant(std::nan(""));
  const std::string page = html_report(run_audit(robot, {episode}, AuditRequest{}, AuditOptions{}));
  EXPECT_EQ(imbalance(page), "");
  EXPECT_EQ(page.find(">nan<"), std::string::npos);
  EXPECT_EQ(page.find(">inf<"), std::string::npos);
  EXPECT_NE(page.find("–"), std::string::npos);
}

/// With baselines what the incident report sets side by side stands so; without them nothing of it.
TEST(AuditSideBySide, BaselinesStandBesideTheAuditedRun) {
  const Robot robot = test::own_robot("h1_2");
  const auto page_of = [&](std::vector<TwinKind> kinds) {
    std::vector<Episode> twins;
    for (const TwinKind kind : kinds) twins.push_back(make_twin(robot, kind).episode);
    return audit_page(run_audit(robot, std::move(twins), AuditRequest{}, AuditOptions{}));
  };
  const auto table_of = [](const Page& page, const std::string& id) -> TableBlock {
    for (const Section& section : page.sections) {
      if (section.id == id && !section.blocks.empty()) return std::get<TableBlock>(section.blocks.front());
    }
    return {};
  };
  const Page alone = page_of({TwinKind::incident}), beside = page_of({TwinKind::incident, TwinKind::good});
  EXPECT_TRUE(table_of(alone, "first-steps").rows.empty());
  EXPECT_EQ(table_of(alone, "joints").heads.size(), 6u);
  EXPECT_EQ(table_of(beside, "joints").heads.size(), 9u);
  const TableBlock first = table_of(beside, "first-steps");
  EXPECT_EQ(first.heads.size(), 11u);  // the step; r, g, kappa, Fz, |F| of each
  EXPECT_GE(first.rows.size(), 9u);
  for (const TableBlock::Row& row : first.rows) EXPECT_EQ(row.cells.size(), first.heads.size());
  EXPECT_EQ(table_of(beside, "episodes").rows.size(), 2u);
}

/// The report's figures of legs and of the good runs.
TEST(AuditSideBySide, LegsAndWholeBaselinesAreViews) {
  const Robot robot = test::own_robot("h1_2");
  std::vector<Episode> twins;
  for (const TwinKind kind : {TwinKind::incident, TwinKind::good}) twins.push_back(make_twin(robot, kind).episode);
  const std::vector<Episode> logs = twins;
  const Audit audit = run_audit(robot, std::move(twins), AuditRequest{}, AuditOptions{});
  const Page page = audit_page(audit);
  const auto panel_of = [&](const std::string& id) -> const ViewPanel& {
    const auto found = std::find_if(page.views.panels.begin(), page.views.panels.end(),
                                    [&](const ViewPanel& panel) { return panel.id == id; });
    if (found == page.views.panels.end()) throw std::runtime_error("no panel " + id);
    return *found;
  };
  const auto value = [&](const Line& line, Eigen::Index row) {
    return page.views.channels[static_cast<std::size_t>(line.channel)].value(row);
  };
  for (int leg = 0; leg < 2; ++leg) {
    const std::string number = std::to_string(leg + 1);
    const ViewPanel &errors = panel_of("leg-errors-" + number), &torques = panel_of("leg-torques-" + number),
                    &targets = panel_of("leg-targets-" + number);
    ASSERT_EQ(errors.lines.size(), 6u);
    ASSERT_EQ(torques.lines.size(), 6u);
    ASSERT_EQ(targets.lines.size(), 12u);
    EXPECT_EQ(errors.limits.front().value, 0.15);  // the report's start limit
    for (int j = 0; j < 6; ++j) {
      const int motor = 6 * leg + j;
      const auto at = static_cast<std::size_t>(j);
      EXPECT_EQ(errors.lines[at].name, audit.motor_labels[static_cast<std::size_t>(motor)]);
      EXPECT_EQ(value(errors.lines[at], 8), logs[0].q(8, motor) - logs[0].target(8, motor));
      EXPECT_EQ(value(torques.lines[at], 8), logs[0].tau(8, motor));
      EXPECT_EQ(value(targets.lines[2 * at], 8), logs[0].target(8, motor));
      EXPECT_EQ(value(targets.lines[2 * at + 1], 8), logs[1].target(8, motor)) << "next to the good run";
    }
  }
  const ViewPanel &force = panel_of("whole-force-1"), &torque = panel_of("whole-torque-1");
  EXPECT_EQ(page.views.runs[1].rows, logs[1].steps());
  EXPECT_EQ(force.run, 1);
  EXPECT_EQ(torque.run, 1);
  ASSERT_EQ(force.lines.size(), 2u);
  const Eigen::Index last = logs[1].steps() - 1;
  EXPECT_EQ(value(torque.lines.front(), last), logs[1].tau(last, 12));
  for (const Line& line : force.lines) {
    EXPECT_EQ(page.views.channels[static_cast<std::size_t>(line.channel)].run, 1);
    EXPECT_TRUE(std::isfinite(value(line, last)));
  }
}

}  // namespace
}  // namespace antaeus
