#include "antaeus/signal/coloured_noise.hpp"

namespace antaeus {

MatrixX ColouredNoise::covariance() const {
  MatrixX result = offset_factor * offset_factor.transpose();
  result.diagonal() += slow_sd.cwiseAbs2() + white_sd.cwiseAbs2();
  return result;
}

}  // namespace antaeus
