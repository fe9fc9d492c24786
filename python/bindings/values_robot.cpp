// How robots are stored: what a profile's list of fields leaves out, and a model by its description.
#include "antaeus/robot/noise_model.hpp"
#include "antaeus/robot/robot_profile.hpp"
#include "src/robot/files/noise_file.hpp"
#include "values.hpp"

namespace antaeus {

constexpr void visit_stored(const RobotProfile*, auto&& visit) {
  visit(&RobotProfile::lines, &RobotProfile::noise, &RobotProfile::noise_file);
}
constexpr void visit_stored(const NoiseFileJoint*, auto&& visit) {
  using J = NoiseFileJoint;
  visit(&J::joint, &J::evidence, &J::motion_identified, &J::white_sd, &J::offset_sd, &J::slow_sd, &J::motion_sd,
        &J::coulomb_sd, &J::viscous_sd, &J::standing_sd, &J::correlation_time, &J::joint_speed, &J::largest_residual,
        &J::limit, &J::limit_offset, &J::limit_sd, &J::line);
}
constexpr void visit_stored(const NoiseFileParameter*, auto&& visit) {
  using P = NoiseFileParameter;
  visit(&P::name, &P::value, &P::se, &P::row, &P::line);
}
constexpr void visit_stored(const NoiseFile*, auto&& visit) {
  using F = NoiseFile;
  visit(&F::file, &F::origin, &F::unit, &F::provenance, &F::simulated, &F::identified_speed, &F::rate, &F::logs,
        &F::envelope_motors, &F::lines, &F::joints, &F::parameters);
}

}  // namespace antaeus

namespace antaeus::python {

namespace {

/// One link and no joint: what a robot is until its own model has been read.
const RobotModel& blank_model() {
  static const RobotModel model = [] {
    RobotDescription description;
    description.name = "blank";
    description.links.emplace_back();
    description.links.back().name = description.root = "base";
    ModelOptions options;
    options.base = Base::fixed;
    return RobotModel(description, options);
  }();
  return model;
}

}  // namespace

void Storage<RobotModel>::exchange(Archive& archive, RobotModel& model) {
  if (archive.pass() == Archive::Pass::places) return;
  const bool write = archive.pass() == Archive::Pass::write;
  RobotDescription description = write ? model.description() : RobotDescription();
  ModelOptions options = write ? model.options() : ModelOptions();
  python::exchange(archive, description);
  python::exchange(archive, options);
  if (!write) model = RobotModel(description, options);
}
RobotModel Storage<RobotModel>::blank() { return blank_model(); }
void Storage<RobotProfile>::exchange(Archive& archive, RobotProfile& profile) { exchange_members(archive, profile); }
void Storage<Robot>::exchange(Archive& archive, Robot& robot) { exchange_members(archive, robot); }

Robot Storage<Robot>::blank() { return {RobotProfile(), blank_model()}; }

void bind_values(nb::module_& module) {
  module.def("_restore", &restored_value, "type"_a, "version"_a, "bytes"_a);
  module.def("_extend_type", &extend_type, "type"_a, "attributes"_a);
  bind_value<RobotModel>(module.attr("RobotModel"));
}

}  // namespace antaeus::python
