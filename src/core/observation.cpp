#include "antaeus/core/observation.hpp"

namespace antaeus {

void copy_in_place(const Observation& from, Observation& to) noexcept {
  for (VectorX Observation::* channel : {&Observation::q, &Observation::v, &Observation::a, &Observation::tau}) {
    if ((from.*channel).size() == (to.*channel).size()) {
      to.*channel = from.*channel;
    } else {
      (to.*channel).setConstant(kNaN);
    }
  }
  to.time = from.time;
  to.has_imu = from.has_imu;
  to.imu_quaternion_xyzw = from.imu_quaternion_xyzw;
  to.has_gyro = from.has_gyro;
  to.imu_angular_velocity = from.imu_angular_velocity;
  to.has_accelerometer = from.has_accelerometer;
  to.imu_specific_force = from.imu_specific_force;
  to.simulated = from.simulated;
}

}  // namespace antaeus
