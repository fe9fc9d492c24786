#include "antaeus/contact/total_motion.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>

#include "antaeus/core/error.hpp"
#include "antaeus/core/number_text.hpp"
#include "antaeus/io/files.hpp"
#include "antaeus/io/table.hpp"

namespace antaeus {

namespace {

constexpr double kGravity = 9.80665;     ///< [m/s²] standard gravity
constexpr double kNoRotation = 2e-3;     ///< largest entry of RᵀR − 1 of a rotation that was written with 4 digits
constexpr double kVerticalShare = 0.8;   ///< of the mean force's size that its vertical part has at least
constexpr Eigen::Index kFewestRows = 3;  ///< what an acceleration needs
constexpr const char* kAxes = "xyz";

std::string row_text(const std::string& file, Eigen::Index row) { return file + " row " + std::to_string(row + 1); }

class Reader {
 public:
  Reader(const Table& table, const std::string& file) : table_(table), file_(file) {}

  TotalMotion read(std::span<const std::string> feet) {
    TotalMotion motion;
    motion.name = file_;
    const auto rows = static_cast<Eigen::Index>(table_.rows());
    if (rows < kFewestRows) {
      throw EpisodeError(file_, std::to_string(rows) + (rows == 1 ? " row" : " rows"), "a motion needs three or more");
    }
    motion.time = column("t");
    motion.wrench.resize(rows, 6);
    motion.com.resize(rows, 3);
    for (int a = 0; a < 3; ++a) {
      motion.wrench.col(a) = column(std::string("kin_F") + kAxes[a]);
      motion.wrench.col(a + 3) = column(std::string("kin_T") + kAxes[a]);
      motion.com.col(a) = column(std::string("com_") + kAxes[a]);
    }
    for (const std::string& name : selected(feet)) motion.feet.push_back(foot(name));
    motion.up = vertical(motion);
    check(motion);
    return motion;
  }

 private:
  VectorX column(const std::string& name) const {
    const auto& columns = table_.columns();
    const auto named = std::find_if(columns.begin(), columns.end(), [&](const Column& c) { return c.name == name; });
    if (named == columns.end()) {
      throw EpisodeError(file_, "no column '" + name + "'",
                         "a motion has t, kin_Fx to kin_Tz, com_x to com_z, and of each foot <foot>_px to _R22");
    }
    if (std::holds_alternative<TextColumn>(named->data)) {
      throw EpisodeError(file_, "column '" + printable(name) + "' holds text", "write numbers in it");
    }
    const std::vector<double> values = table_.numbers(name);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!std::isfinite(values[i])) {
        throw EpisodeError(row_text(file_, static_cast<Eigen::Index>(i)), "'" + printable(name) + "' is not a number",
                           "correct or remove the row");
      }
    }
    return Eigen::Map<const VectorX>(values.data(), static_cast<Eigen::Index>(values.size()));
  }

  std::vector<std::string> selected(std::span<const std::string> feet) const {
    constexpr std::string_view kEnd = "_px";
    std::vector<std::string> known;
    for (const Column& one : table_.columns()) {
      if (!one.name.ends_with(kEnd)) continue;
      const std::string stem = one.name.substr(0, one.name.size() - kEnd.size());
      const bool oriented = std::any_of(table_.columns().begin(), table_.columns().end(),
                                        [&](const Column& other) { return other.name == stem + "_R00"; });
      if (oriented && !stem.empty()) known.push_back(stem);
    }
    if (feet.empty()) {
      if (known.empty()) throw EpisodeError(file_, "no foot in it", "give columns <foot>_px to _pz and _R00 to _R22");
      return known;
    }
    for (std::size_t i = 0; i < feet.size(); ++i) {
      if (std::find(known.begin(), known.end(), feet[i]) == known.end()) {
        throw_unknown<EpisodeError>(file_, "foot", feet[i], known);
      }
      if (std::find(feet.begin(), feet.begin() + static_cast<std::ptrdiff_t>(i), feet[i]) !=
          feet.begin() + static_cast<std::ptrdiff_t>(i)) {
        throw EpisodeError(file_, "the foot '" + printable(feet[i]) + "' is given twice", "name each foot once");
      }
    }
    return {feet.begin(), feet.end()};
  }

  FootMotion foot(const std::string& name) const {
    FootMotion result{name, std::vector<Pose>(table_.rows())};
    for (int r = 0; r < 3; ++r) {
      const VectorX place = column(name + "_p" + kAxes[r]);
      for (std::size_t i = 0; i < result.pose.size(); ++i) {
        result.pose[i].translation[r] = place[static_cast<Eigen::Index>(i)];
      }
      for (int c = 0; c < 3; ++c) {
        const VectorX entry = column(name + "_R" + std::to_string(r) + std::to_string(c));
        for (std::size_t i = 0; i < result.pose.size(); ++i) {
          result.pose[i].rotation(r, c) = entry[static_cast<Eigen::Index>(i)];
        }
      }
    }
    return result;
  }

  int vertical(const TotalMotion& motion) const {
    const Vector3 mean = motion.wrench.leftCols<3>().colwise().mean().transpose();
    const int up = std::abs(mean.y()) > std::abs(mean.z()) ? 1 : 2;
    if (!(std::abs(mean[up]) > kVerticalShare * mean.norm())) {
      throw EpisodeError(file_, "the mean of kin_F points along no vertical",
                         "write the force that carries the body, in a world whose y or z is up");
    }
    if (mean[up] < 0) {
      throw EpisodeError(file_, std::string("the mean of kin_F points down ") + kAxes[up],
                         "write the force of the contacts on the body, not that of the body on them");
    }
    return up;
  }

  const Table& table_;
  const std::string& file_;
};

}  // namespace

double TotalMotion::weight() const {
  // mean F = m (g + mean a), and the mean acceleration is the change of velocity over the whole time.
  const Eigen::Index n = rows();
  const auto end_velocity = [&](Eigen::Index first, Eigen::Index count) {
    const VectorX t = time.segment(first, count).array() - time.segment(first, count).mean();
    const VectorX z = com.col(up).segment(first, count);
    return t.dot(z) / t.squaredNorm();
  };
  const Eigen::Index part = std::max<Eigen::Index>(2, n / 20);
  const double apart = time.tail(part).mean() - time.head(part).mean();
  const double acceleration = apart > 0 ? (end_velocity(n - part, part) - end_velocity(0, part)) / apart : 0.0;
  const double share = 1.0 + std::clamp(acceleration / kGravity, -0.5, 0.5);
  return wrench.col(up).mean() / share;
}

void check(const TotalMotion& motion) {
  const Eigen::Index n = motion.rows();
  if (n < kFewestRows) {
    throw EpisodeError(motion.name, std::to_string(n) + (n == 1 ? " row" : " rows"), "a motion needs three or more");
  }
  if (motion.up != 1 && motion.up != 2) {
    throw EpisodeError(motion.name, "axis " + std::to_string(motion.up) + " is no vertical", "give 1 (y) or 2 (z)");
  }
  if (motion.wrench.rows() != n || motion.wrench.cols() != 6 || motion.com.rows() != n || motion.com.cols() != 3) {
    throw EpisodeError(motion.name, "wrench or com does not have one row per time", "give rows × 6 and rows × 3");
  }
  if (motion.feet.empty()) throw EpisodeError(motion.name, "no foot in it", "give at least one");
  for (Eigen::Index i = 0; i < n; ++i) {
    if (!std::isfinite(motion.time[i]) || !motion.wrench.row(i).allFinite() || !motion.com.row(i).allFinite()) {
      throw EpisodeError(row_text(motion.name, i), "a number is not finite", "correct or remove the row");
    }
    if (i > 0 && !(motion.time[i] > motion.time[i - 1])) {
      throw EpisodeError(row_text(motion.name, i),
                         "time does not increase, from " + shortest_text(motion.time[i - 1]) + " s to " +
                             shortest_text(motion.time[i]) + " s",
                         "sort the rows and remove repeated ones");
    }
  }
  for (const FootMotion& foot : motion.feet) {
    if (std::ssize(foot.pose) != n) {
      throw EpisodeError(motion.name, "foot '" + printable(foot.name) + "' has not one pose a time",
                         "give one per row");
    }
    for (Eigen::Index i = 0; i < n; ++i) {
      const Pose& pose = foot.pose[static_cast<std::size_t>(i)];
      const double off = (pose.rotation.transpose() * pose.rotation - Matrix3::Identity()).cwiseAbs().maxCoeff();
      if (!pose.translation.allFinite() || !(off < kNoRotation) || !(pose.rotation.determinant() > 0)) {
        throw EpisodeError(row_text(motion.name, i), "'" + printable(foot.name) + "_R' is not a rotation",
                           "write the foot's axes as columns of an orthonormal, right-handed matrix");
      }
    }
  }
}

TotalMotion read_total_motion(const std::filesystem::path& file, std::span<const std::string> feet) {
  const std::string extension = file.extension().string();
  if (extension != ".csv" && extension != ".parquet") {
    throw EpisodeError(file.string(), "not a motion", "give a .csv or .parquet with a column t and kin_Fx to kin_Tz");
  }
  const Table table = extension == ".csv" ? read_csv(file) : read_parquet(file);
  return Reader(table, file.string()).read(feet);
}

}  // namespace antaeus
