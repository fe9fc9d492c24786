#pragma once
/// The recorded persons on force plates of the shared folder, and motions derived from them.
/// What plates measured is read here and nowhere in the library.

#include <Eigen/Dense>
#include <string>

#include "antaeus/contact/total_motion.hpp"
#include "antaeus/io/table.hpp"
#include "support/shared.hpp"

namespace antaeus::test {

struct PlateTrial {
  Table table;
  TotalMotion motion;
  /// By foot (r, l): wrench of the plate on the foot, about the world's origin.
  std::vector<MatrixX> plates;

  /// The measured wrench about the origin of the foot's frame.
  Vector6 truth(int foot, Eigen::Index row) const {
    Vector6 w = plates[static_cast<std::size_t>(foot)].row(row).transpose();
    const Pose& pose = motion.feet[static_cast<std::size_t>(foot)].pose[static_cast<std::size_t>(row)];
    w.tail<3>() -= pose.translation.cross(w.head<3>());
    return w;
  }
  bool loaded(int foot, Eigen::Index row, double least = 20.0) const {
    return plates[static_cast<std::size_t>(foot)](row, motion.up) > least;
  }
};

inline std::filesystem::path plates_file(const std::string& trial) {
  return shared_folder() / "measured" / "human_plates" / (trial + ".csv");
}

inline PlateTrial plate_trial(const std::string& trial) {
  PlateTrial result{read_csv(plates_file(trial)), {}, {}};
  result.motion = read_total_motion(plates_file(trial));
  for (const FootMotion& foot : result.motion.feet) {
    MatrixX plate(result.motion.rows(), 6);
    for (int k = 0; k < 6; ++k) {
      const std::string name = foot.name + "_meas_" + (k < 3 ? "F" : "T") + "xyz"[k % 3];
      const std::vector<double> values = result.table.numbers(name);
      plate.col(k) = Eigen::Map<const VectorX>(values.data(), std::ssize(values));
    }
    result.plates.push_back(plate);
  }
  return result;
}

/// Every n-th row.
inline TotalMotion thinned(const TotalMotion& motion, int n) {
  const Eigen::Index rows = (motion.rows() + n - 1) / n;
  TotalMotion result{motion.name, VectorX(rows), MatrixX(rows, 6), MatrixX(rows, 3), motion.feet, motion.up};
  for (FootMotion& foot : result.feet) foot.pose.clear();
  for (Eigen::Index i = 0; i < rows; ++i) {
    result.time[i] = motion.time[n * i];
    result.wrench.row(i) = motion.wrench.row(n * i);
    result.com.row(i) = motion.com.row(n * i);
    for (std::size_t f = 0; f < motion.feet.size(); ++f) {
      result.feet[f].pose.push_back(motion.feet[f].pose[static_cast<std::size_t>(n * i)]);
    }
  }
  return result;
}

/// The same motion in a world whose axes are turned by R and whose vertical is \p up.
inline TotalMotion turned(const TotalMotion& motion, const Matrix3& R, int up) {
  TotalMotion result = motion;
  result.up = up;
  result.com = motion.com * R.transpose();
  result.wrench.leftCols<3>() = motion.wrench.leftCols<3>() * R.transpose();
  result.wrench.rightCols<3>() = motion.wrench.rightCols<3>() * R.transpose();
  for (FootMotion& foot : result.feet) {
    for (Pose& pose : foot.pose) pose = {R * pose.rotation, R * pose.translation};
  }
  return result;
}

}  // namespace antaeus::test
