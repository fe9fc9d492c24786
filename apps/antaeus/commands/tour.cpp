// antaeus tour: every system once, each by its own verb, and one page that shows them all.
#include "tour.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <thread>

#include "antaeus/core/error.hpp"
#include "antaeus/io/files.hpp"
#include "antaeus/io/scratch_folder.hpp"
#include "antaeus/io/shell_words.hpp"
#include "child_process.hpp"
#include "command.hpp"
#include "components.hpp"
#include "draw/html.hpp"
#include "io/plugin.hpp"
#include "terminal.hpp"

namespace antaeus::cli {

namespace {

/// The order in which they are begun, the longest first: two run at a time.
constexpr std::array kOrder = {3, 5, 4, 0, 1, 2};
constexpr const char* kStyle = R"(
:root { color-scheme: light dark; --ink: #1b1d1f; --quiet: #5a6067; --paper: #fff; --soft: #f4f5f6; --rule: #d5d9dd; --link: #00588c; --accent: #b3401a; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e6e8; --quiet: #a3a9af; --paper: #131517; --soft: #1c1f22; --rule: #363b40; --link: #7cc4f2; --accent: #ff9466; } }
* { box-sizing: border-box; } h1, h2, p, figure { margin: 0; }
body { margin: 0; color: var(--ink); background: var(--paper); font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; font-variant-numeric: tabular-nums; }
main { max-width: 84rem; margin: 0 auto; padding: 2.5rem clamp(1rem, 3vw, 2.5rem) 4rem; }
h1 { font-size: clamp(1.7rem, 4vw, 2.5rem); line-height: 1.15; font-weight: 650; letter-spacing: -0.02em; max-width: 46rem; }
.lead { font-size: 1.1rem; color: var(--quiet); margin-top: 0.9rem; max-width: 46rem; }
.stops { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 32rem), 1fr)); gap: 3rem 3.5rem; margin-top: 2.75rem; }
article { border-top: 2px solid var(--ink); padding-top: 0.8rem; min-width: 0; display: flex; flex-direction: column; break-inside: avoid; }
.kicker { color: var(--quiet); font-size: 0.875rem; font-weight: 600; }
h2 { font-size: 1.3rem; line-height: 1.25; font-weight: 650; letter-spacing: -0.01em; margin: 0.1rem 0 0.9rem; }
h2 a { color: inherit; text-decoration: none; } h2 a:hover { color: var(--link); }
figure svg { display: block; width: 100%; height: auto; }
article p { margin-top: 0.65rem; overflow-wrap: anywhere; } .missed { color: var(--accent); font-weight: 600; }
.links { font-size: 0.9rem; display: flex; flex-wrap: wrap; gap: 0.2rem 1.4rem; } .links a:first-child { font-weight: 600; }
a { color: var(--link); text-underline-offset: 0.15em; }
code { display: block; font: 0.8rem/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace; background: var(--soft); padding: 0.5rem 0.7rem; border-radius: 6px; margin-top: 0.8rem; overflow-wrap: anywhere; }
footer { margin-top: 3rem; padding-top: 0.8rem; border-top: 1px solid var(--rule); color: var(--quiet); font-size: 0.875rem; }
)";

struct Visit {
  Child child = {};
  std::optional<int> code;
  Told told;
  Json summary;
  std::vector<std::string> files;
};

std::string command_line(const Stop& stop) {
  std::string text = "antaeus";
  for (const std::string& word : stop.command) text += " " + shell_word(word);
  return text;
}

Html article(const Stop& stop, const Visit& visit) {
  const std::string page = stop.folder + "/report.html";
  Html out = element("p", {{"class", "kicker"}}, stop.kicker);
  out << element("h2", element("a", {{"href", page}}, stop.title));
  out << element("figure", Html::markup(visit.told.svg));
  for (const std::string& sentence : visit.told.sentences) out << element("p", sentence);
  if (visit.code != stop.expected) {
    out << element("p", {{"class", "missed"}},
                   "Exit code " + std::to_string(*visit.code) + " where " + std::to_string(stop.expected) +
                       " was expected: see its page for the reason.");
  }
  Html links = element("a", {{"href", page}}, "The whole page");
  for (const std::string& file : visit.files) {
    if (file == "trace.html")
      links << element("a", {{"href", stop.folder + "/trace.html"}}, "Iterations of each method");
  }
  links << element("a", {{"href", stop.folder + "/summary.json"}}, "summary.json");
  out << element("p", {{"class", "links"}}, links);
  out << element("code", command_line(stop));
  return element("article", {{"id", stop.folder}}, out);
}

std::string index_page(const std::vector<Visit>& visits) {
  Html articles;
  for (std::size_t i = 0; i < visits.size(); ++i) articles << article(tour_stops()[i], visits[i]);
  Html main = element("p", {{"class", "kicker"}}, "Antaeus, a tour");
  main << element("h1", "Forces between a robot and the world: estimated, judged, explained, and used");
  main << element("p", {{"class", "lead"}},
                  "Six runs on this machine; the command is below each. Every number on this page is "
                  "read from the files of its run.");
  main << element("div", {{"class", "stops"}}, articles);
  main << element(
      "footer",
      "antaeus " ANTAEUS_VERSION
      ". H1-2, Panda and spacecraft are our own descriptions, the UR5e that presses is the Menagerie's; walk.npz is "
      "a walk that the tour computes, and the audited episode is synthetic.");
  Html head = void_element("meta", {{"charset", "utf-8"}});
  head << void_element("meta", {{"name", "generator"}, {"content", "Antaeus"}})  // src/io/own_results.cpp
       << void_element("meta", {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}});
  head << element("title", "Antaeus: a tour") << element("style", Html::markup(kStyle));
  Html page = element("head", head);
  page << element("body", element("main", main));
  return "<!DOCTYPE html>\n" + element("html", {{"lang", "en"}}, page).text() + "\n";
}

struct TourCommand {
  std::string out = "antaeus-tour";
  bool json = false;

  static void check_components() {
    for (const Stop& stop : tour_stops()) {
      if (!stop.component || plugin_is_built(stop.component->file)) continue;
      throw Error("command '" + stop.command.front() + "'", "is not built", "build it with: make tour");
    }
  }

  /// Two at a time on two cores; what an experiment does by itself is on one or two.
  static void run_all(const std::filesystem::path& place, std::vector<Visit>& visits) {
    const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe");
    const std::size_t most = std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, 6);
    const auto progress = progress_bar("tour");
    std::size_t begun = 0, done = 0;
    while (done < visits.size()) {
      for (std::size_t i = 0; i < begun; ++i) {
        const auto at = static_cast<std::size_t>(kOrder[i]);
        Visit& visit = visits[at];
        if (visit.code || !(visit.code = ended(visit.child))) continue;
        ++done;
        check(place, tour_stops()[at], *visit.code);
      }
      while (begun < visits.size() && begun - done < most) {
        const auto at = static_cast<std::size_t>(kOrder[begun++]);
        const Stop& stop = tour_stops()[at];
        std::vector<std::string> command = {self.string()};
        for (const std::string& word : stop.command) {
          command.push_back(word == "walk.npz" ? (place / word).string() : word);
        }
        command.insert(command.end(), {"--out", (place / stop.folder).string()});
        visits[at].child = start_child(command, place / (stop.folder + ".said"));
      }
      if (progress) progress(static_cast<double>(done) / static_cast<double>(visits.size()));
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }

  /// A verb that wrote nothing ends the tour, with its own words.
  static void check(const std::filesystem::path& place, const Stop& stop, int code) {
    if (code <= kRefused && std::filesystem::exists(place / stop.folder / "summary.json")) return;
    std::string said = read_file(place / (stop.folder + ".said"));
    while (said.ends_with('\n')) said.pop_back();
    said = said.substr(said.rfind('\n') + 1);
    kill_children();
    throw Error("tour, " + command_line(stop),
                "ended with exit code " + std::to_string(code) + (said.empty() ? "" : " (" + printable(said) + ")"),
                "run it alone");
  }

  int run() const {
    check_components();
    if (std::filesystem::exists(out) && !std::filesystem::is_directory(out)) {
      throw Error("--out", "'" + out + "' is a file", "name a folder");
    }
    std::filesystem::path parent = std::filesystem::absolute(out).lexically_normal();
    if (!parent.has_filename()) parent = parent.parent_path();
    parent = parent.parent_path();
    if (!std::filesystem::is_directory(parent)) {
      throw Error("--out", "the folder '" + parent.string() + "' does not exist", "make it first");
    }
    const ScratchFolder scratch(parent, 0700, out);
    const std::string walk = walking_motion();
    write_file(scratch.path() / "walk.npz", walk);
    std::vector<Visit> visits(tour_stops().size());
    run_all(scratch.path(), visits);

    FileSet files(out);
    Json stops = Json::array();
    int as_expected = 0;
    for (std::size_t i = 0; i < visits.size(); ++i) {
      const Stop& stop = tour_stops()[i];
      Visit& visit = visits[i];
      const std::filesystem::path folder = scratch.path() / stop.folder;
      const std::string summary = read_file(folder / "summary.json");
      visit.summary = read_json(folder / "summary.json");
      visit.told = stop.tell(folder, visit.summary);
      for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        visit.files.push_back(entry.path().filename().string());
      }
      std::sort(visit.files.begin(), visit.files.end());
      for (const std::string& file : visit.files) files.add(stop.folder + "/" + file, read_file(folder / file));
      as_expected += visit.code == stop.expected ? 1 : 0;
      Json sentences = Json::array();
      for (const std::string& one : visit.told.sentences) sentences.push_back(one);
      stops.push_back(Json::object()
                          .set("name", stop.folder)
                          .set("title", stop.title)
                          .set("command", command_line(stop))
                          .set("exit_code", *visit.code)
                          .set("expected_exit_code", stop.expected)
                          .set("sentences", sentences)
                          .set("page", stop.folder + "/report.html")
                          .set("summary_sha256", sha256(summary))
                          .set("metrics", visit.summary["metrics"]));
    }
    const int count = static_cast<int>(visits.size());
    const std::string summary = Json::object()
                                    .set("schema", "antaeus.tour.summary/1")
                                    .set("command", "antaeus tour")
                                    .set("antaeus_version", ANTAEUS_VERSION)
                                    .set("motion_sha256", sha256(walk))
                                    .set("metrics", Json::object().set("stops", count).set("as_expected", as_expected))
                                    .set("stops", stops)
                                    .set("settings", Json::object())
                                    .dump() +
                                "\n";
    files.add("index.html", index_page(visits));
    files.add("summary.json", summary);
    files.add("walk.npz", walk);
    files.commit();
    print(json ? summary : story(visits));
    return as_expected == count ? kFine : kRefused;
  }

  std::string story(const std::vector<Visit>& visits) const {
    std::string text;
    for (std::size_t i = 0; i < visits.size(); ++i) {
      const Stop& stop = tour_stops()[i];
      text += heading(stop.kicker + ": " + stop.title);
      for (const std::string& one : visits[i].told.sentences) text += wrapped("• " + one, 2);
      if (visits[i].code != stop.expected) {
        text += wrapped("• Exit code " + std::to_string(*visits[i].code) + " where " + std::to_string(stop.expected) +
                            " was expected: " + stop.folder + "/report.html gives the reason",
                        2);
      }
    }
    return text + "\n  Written to " + printable(out) +
           ": index.html, summary.json, walk.npz and a folder of each run\n";
  }
};

}  // namespace

void add_tour(CLI::App& app, Run& run) {
  auto command = std::make_shared<TourCommand>();
  CLI::App* verb = app.add_subcommand("tour", "run every component once and write one page that shows the results");
  verb->add_option("--out,-o", command->out, "folder of index.html and of each run (default: antaeus-tour)")
      ->option_text("DIR");
  verb->add_flag("--json", command->json, "print summary.json instead of the summary text");
  verb->footer(
      "Audit, contact forces of a walk, inverse kinematics, force control, free flight, the incident in simulation:\n"
      "each runs with its own command, one per core at a time.\n"
      "Exit code 1: a run did not end as it should; 2: one wrote nothing, or is not built (make tour).");
  verb->callback([command, &run] { run = [command] { return command->run(); }; });
}

}  // namespace antaeus::cli
