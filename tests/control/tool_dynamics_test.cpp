#include "antaeus/control/tool_dynamics.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <numbers>

#include "antaeus/core/error.hpp"
#include "antaeus/robot/dynamics.hpp"
#include "support/arms.hpp"
#include "support/tolerances.hpp"

namespace antaeus {
namespace {

}  // namespace
}  // namespace antaeus
