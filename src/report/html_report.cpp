#include "antaeus/report/html_report.hpp"

#include <algorithm>

#include "antaeus/report/audit_figures.hpp"
#include "draw/html_text.hpp"
#include "report/page.hpp"
#include "report/payload.hpp"
#include "report/robot_meshes.hpp"
#include "report/viewer_bundle.hpp"

namespace antaeus {

namespace {

using parts::escaped;

void header(std::string& out, const Audit& audit) {
  std::string against;
  for (const EpisodeAudit& baseline : audit.baselines) {
    against += (against.empty() ? ", beside " : ", ") + baseline.episode.name;
  }
  const std::pair<const char*, const char*> badge =
      audit.outcome == Outcome::incident      ? std::pair("incident", "incident")
      : audit.outcome == Outcome::no_incident ? std::pair("calm", "no incident")
                                              : std::pair("unknown", "cannot be told");
  out += "<header><p class=\"kicker\">Antaeus audit · " + escaped(audit.robot_title) + "</p>\n<h1>" +
         escaped(audit.audited.episode.name) + "<span class=\"badge " + badge.first + "\">" + badge.second +
         "</span></h1>\n<p class=\"quiet\">" + std::to_string(audit.audited.episode.steps()) + " steps" +
         escaped(against) + ". Base orientation: " + escaped(audit.base_orientation) + ".</p></header>\n";
}

/// The figure that stands beside the verdict on the posterior.
constexpr const char* kPosteriorFigure = "posterior-force";

void figures_section(std::string& out, const std::vector<NamedFigure>& figures) {
  if (figures.empty()) return;
  out += "<section id=\"figures\"><h2>Figures</h2>\n<div class=\"figures\">\n";
  for (const NamedFigure& figure : figures) {
    if (figure.id != kPosteriorFigure) parts::figure_element(out, figure);
  }
  out += "</div></section>\n";
}

}  // namespace

std::string html_report(const Audit& audit, const ReportOptions& options) {
  std::string out =
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width,initial-scale=1\"><meta name=\"color-scheme\" content=\"light dark\">\n<title>" +
      escaped("Antaeus audit: " + audit.audited.episode.name) + "</title>\n<style>" + std::string(kViewerStyle) +
      "</style></head><body>\n<main>\n";
  header(out, audit);
  const std::vector<NamedFigure> figures = audit_figures(audit);
  const auto beside = std::find_if(figures.begin(), figures.end(),
                                   [](const NamedFigure& figure) { return figure.id == kPosteriorFigure; });
  parts::answers_section(out, audit);
  parts::posterior_section(out, audit, beside == figures.end() ? nullptr : &*beside);
  parts::further_section(out, audit);
  parts::chain_section(out, audit);
  out += "<section id=\"explore\"><h2>Look closer</h2>\n<div id=\"viewer\"></div>";
  if (options.interactive && options.meshes) out += parts::mesh_note(audit.description, *options.meshes);
  out += "</section>\n";
  parts::knowledge_section(out, audit);
  parts::counterfactual_section(out, audit);
  parts::guard_section(out, audit);
  parts::reliability_section(out, audit);
  parts::attribution_section(out, audit);
  parts::timeline_section(out, audit);
  figures_section(out, figures);
  parts::pose_section(out, audit);
  parts::preflight_section(out, audit);
  parts::episodes_section(out, audit);
  parts::joints_section(out, audit);
  parts::provenance_section(out, audit);
  out += "</main>\n";
  if (options.interactive) {
    out += "<script type=\"application/json\" id=\"payload\">" +
           parts::viewer_payload(audit, options.meshes ? &*options.meshes : nullptr) + "</script>\n<script>" +
           std::string(kViewerScript) + "</script>\n";
  }
  out += "</body></html>\n";
  return out;
}

}  // namespace antaeus
