#pragma once
// What a user would write with Pinocchio alone: the passes that any estimator of contact wrenches needs.
#include <benchmark/benchmark.h>

#include <memory>
#include <pinocchio/algorithm/frames.hpp>
#include <pinocchio/algorithm/jacobian.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/multibody.hpp>
#include <pinocchio/parsers/urdf.hpp>
#include <string>
#include <vector>

#include "antaeus/core/types.hpp"
#include "antaeus/io/files.hpp"

namespace antaeus {

class PlainPinocchio {
 public:
  struct Text {
    std::string urdf;
  };
  /// Of a file.
  PlainPinocchio(const std::string& urdf, const std::vector<std::string>& frames, bool floats = true)
      : PlainPinocchio(Text{read_file(urdf)}, frames, floats) {}
  /// Of a file's text.
  PlainPinocchio(const Text& text, const std::vector<std::string>& frames, bool floats) {
    if (floats) {
      pinocchio::urdf::buildModelFromXML(text.urdf, pinocchio::JointModelFreeFlyer(), model_);
    } else {
      pinocchio::urdf::buildModelFromXML(text.urdf, model_);
    }
    data_ = std::make_unique<pinocchio::Data>(model_);
    J_.setZero(6, model_.nv);
    for (const std::string& frame : frames) frames_.push_back(model_.getFrameId(frame));
  }
  void inverse_dynamics(const ConstVectorRef& q, const ConstVectorRef& v, const ConstVectorRef& a) {
    benchmark::DoNotOptimize(pinocchio::rnea(model_, *data_, q, v, a).data());
  }
  void jacobians(const ConstVectorRef& q) {
    pinocchio::computeJointJacobians(model_, *data_, q);
    for (const auto frame : frames_) {
      pinocchio::updateFramePlacement(model_, *data_, frame);
      J_.setZero();
      pinocchio::getFrameJacobian(model_, *data_, frame, pinocchio::LOCAL_WORLD_ALIGNED, J_);
      benchmark::DoNotOptimize(J_.data());
    }
  }

 protected:
  pinocchio::Model model_;
  std::unique_ptr<pinocchio::Data> data_;

  std::vector<pinocchio::FrameIndex> frames_;

 private:
  Matrix6X J_;
};

}  // namespace antaeus
