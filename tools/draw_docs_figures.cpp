// Draws the figures of docs/ from our own robots and twins, and prints the numbers that docs/concepts/incident.md takes
// from them. Usage: docs_figures FOLDER, or docs_figures --check FOLDER, which writes nothing and fails for a stale
// figure. FOLDER holds replay-scaling.csv, measured times that `build/bin/replay_scaling FOLDER/replay-scaling.csv`
// writes.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string_view>

#include "antaeus/audit/audit.hpp"
#include "antaeus/audit/audit_options.hpp"
#include "antaeus/episode/synthetic_episode.hpp"
#include "antaeus/identification/identify.hpp"
#include "antaeus/io/files.hpp"
#include "antaeus/pose/sweep.hpp"
#include "antaeus/report/figures.hpp"
#include "dynamics_figure.hpp"
#include "estimator_figures.hpp"
#include "motion_figures.hpp"
#include "replay_figures.hpp"

namespace {

using namespace antaeus;

void print_planar(const PlanarLesson& lesson) {
  for (const PlanarLesson::Pose& pose : lesson.poses) {
    std::printf("planar_3r %-9s %.0f N·m at joint 1 read as (%.2f, %.2f) N, |F| %.2f N; sigma %.4f %.4f\n",
                pose.name.c_str(), lesson.torque, pose.force.x(), pose.force.y(), pose.force.norm(), pose.sigma[0],
                pose.sigma[1]);
    std::printf("  J  [%.3f %.3f %.3f]\n     [%.3f %.3f %.3f]\n", pose.J(0, 0), pose.J(0, 1), pose.J(0, 2),
                pose.J(1, 0), pose.J(1, 1), pose.J(1, 2));
  }
}

void print_junction(const JunctionLesson& lesson) {
  for (const JunctionLesson::Pose& pose : lesson.poses) {
    std::printf("h1_2 %-17s lever (%.3f, %.3f, %.3f) m, %.3f m from the axis; gain %.3f, kappa %.2f, sigma",
                pose.name.c_str(), pose.lever.x(), pose.lever.y(), pose.lever.z(), pose.column.norm(),
                pose.spectrum.gain, pose.spectrum.kappa);
    for (const double sigma : pose.spectrum.sigma) std::printf(" %.4f", sigma);
    std::printf("\n");
  }
}

void print_sweep(const JointSweep& sweep) {
  std::printf("sweep of %s from %s:\n  rad ", sweep.label.c_str(), sweep.at_pose.pose.c_str());
  for (Eigen::Index i = 0; i < sweep.positions.size(); i += 5) std::printf(" %6.2f", sweep.positions[i]);
  std::printf("\n  gain");
  for (Eigen::Index i = 0; i < sweep.positions.size(); i += 5) std::printf(" %6.2f", sweep.gain[i]);
  std::printf("\n");
}

/// Whether two figures are the same but for numbers that differ by rounding: another compiler may round a pixel's last
/// digit, or a caption's, the other way.
bool same_figure(std::string_view a, std::string_view b) {
  constexpr double kRounding = 0.011;
  while (!a.empty() && !b.empty()) {
    double x = 0, y = 0;
    const auto end_a = std::from_chars(a.data(), a.data() + a.size(), x, std::chars_format::fixed);
    const auto end_b = std::from_chars(b.data(), b.data() + b.size(), y, std::chars_format::fixed);
    if ((end_a.ec == std::errc{}) != (end_b.ec == std::errc{})) return false;
    if (end_a.ec == std::errc{}) {
      if (std::abs(x - y) > kRounding) return false;
      a.remove_prefix(static_cast<std::size_t>(end_a.ptr - a.data()));
      b.remove_prefix(static_cast<std::size_t>(end_b.ptr - b.data()));
    } else {
      if (a.front() != b.front()) return false;
      a.remove_prefix(1), b.remove_prefix(1);
    }
  }
  return a.empty() && b.empty();
}

int check(const std::vector<NamedFigure>& figures, const std::filesystem::path& folder) {
  int stale = 0;
  for (const NamedFigure& figure : figures) {
    const std::filesystem::path file = folder / (figure.id + ".svg");
    if (std::filesystem::exists(file) && same_figure(figure.svg, read_file(file))) continue;
    std::fprintf(stderr, "%s: not what would be drawn now; run make docs\n", file.string().c_str());
    ++stale;
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().filename() == "ik-peers.svg") continue;  // `make bench-ik WRITE=1` draws it
    const auto known = [&](const NamedFigure& f) { return entry.path().filename() == f.id + ".svg"; };
    if (entry.path().extension() != ".svg" || std::any_of(figures.begin(), figures.end(), known)) continue;
    std::fprintf(stderr, "%s: nobody draws it; remove it\n", entry.path().string().c_str());
    ++stale;
  }
  return stale == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const bool only_check = argc == 3 && std::string_view(argv[1]) == "--check";
  if (argc != 2 && !only_check) return std::fprintf(stderr, "usage: docs_figures [--check] FOLDER\n"), 2;
  try {
    // docs/concepts/estimator.md shows the assumed figures here.
    const Robot planar = load_robot("planar_3r"), humanoid = with_noise(load_robot("h1_2"), std::nullopt);
    const std::string wrist = humanoid.profile.endpoints.front().frame;
    const double limit = humanoid.profile.preflight.gain_limit;
    const LabelledPose bad{"arm_waist_target", humanoid.pose("arm_waist_target")}, zero{"zero", humanoid.pose("zero")};

    const PlanarLesson lesson = planar_lesson(planar);
    const JunctionLesson junction = junction_lesson(humanoid, wrist, {bad, zero});
    const std::vector<PoseSpectrum> spectra = {pose_spectrum(humanoid, wrist, bad),
                                               pose_spectrum(humanoid, wrist, zero)};
    std::vector<JointSweep> sweeps;
    for (const int motor : influential_motors(humanoid, wrist, bad)) {
      if (sweeps.size() < 2) sweeps.push_back(sweep_joint(humanoid, wrist, bad, motor));
    }
    print_planar(lesson);
    print_junction(junction);
    for (const JointSweep& sweep : sweeps) print_sweep(sweep);

    std::vector<Episode> twins;
    for (const TwinKind kind : {TwinKind::incident, TwinKind::good, TwinKind::pushes}) {
      twins.push_back(make_twin(humanoid, kind).episode);
    }
    const Audit audit = run_audit(humanoid, std::move(twins), AuditRequest{}, AuditOptions{});

    std::vector<NamedFigure> figures = teaching_figures(lesson, junction, spectra, sweeps, limit);
    figures.push_back(newton_euler_figure(planar));
    for (NamedFigure& figure : audit_figures(audit)) {
      if (figure.id == "cascade-summary" || figure.id == "force-cascade" || figure.id == "joint-contribution") {
        figures.push_back(std::move(figure));
      }
    }
    for (NamedFigure& figure : estimator_figures(humanoid)) figures.push_back(std::move(figure));
    for (NamedFigure& figure : motion_figures()) figures.push_back(std::move(figure));
    figures.push_back(replay_figure(std::filesystem::path(argv[argc - 1]) / "replay-scaling.csv"));
    if (only_check) return check(figures, argv[2]);
    FileSet files(argv[1]);
    for (const NamedFigure& figure : figures) {
      std::printf("%s.svg: %s\n", figure.id.c_str(), figure.caption.c_str());
      files.add(figure.id + ".svg", figure.svg);
    }
    files.commit();
  } catch (const std::exception& error) {
    return std::fprintf(stderr, "docs_figures: %s\n", error.what()), 2;
  }
  return 0;
}
