#pragma once
// What the plugin's files share.
#include <mujoco/mujoco.h>

#include <memory>

#include "antaeus/core/note.hpp"
#include "sim/engine.hpp"

namespace antaeus::detail {

struct DeleteModel {
  void operator()(mjModel* model) const noexcept { mj_deleteModel(model); }
};
using ModelPointer = std::unique_ptr<mjModel, DeleteModel>;

struct DeleteData {
  void operator()(mjData* data) const noexcept { mj_deleteData(data); }
};
using DataPointer = std::unique_ptr<mjData, DeleteData>;

inline Vector3 to_vector(const mjtNum* numbers) { return {numbers[0], numbers[1], numbers[2]}; }
/// From MuJoCo's rows, which follow one another.
inline Matrix3 to_matrix(const mjtNum* rows) {
  return Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(rows);
}
/// From MuJoCo's quaternion, w first.
Matrix3 to_rotation(const mjtNum* wxyz);
/// \param to  MuJoCo's quaternion, w first
void to_quaternion(const Matrix3& rotation, double* to);

/// The compiled model with the names that tell its parts' origin.
struct Composed {
  ModelPointer model;
  std::string name, sha256;
  std::vector<std::string> robot_actuators;  // of the robot's own file
  std::string force_sensor_site;
  std::vector<Note> notes;  // on what was left out
};
Composed compose_model(const SceneDescription& description);

/// \throws ModelError for what a tree of hinges, slides and free joints does not hold, by name
SceneFacts read_facts(const Composed& composed);

/// Keeps the model alive.
std::unique_ptr<State> make_state(std::shared_ptr<const mjModel> model);
/// Draws a copy of the model. \throws Error where EGL is missing
std::unique_ptr<Camera> make_camera(const mjModel& model, int width, int height, const CameraView& view);
/// A copy without friction, springs, actuators, limits and contacts.
std::shared_ptr<const mjModel> free_copy(const mjModel& model);

}  // namespace antaeus::detail
