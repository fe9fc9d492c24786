#pragma once
// The border between libantaeus.so and libantaeus_mujoco.so, which alone knows MuJoCo. The plugin links libantaeus.so
// and throws its errors; nothing of MuJoCo is seen here. Quaternions do not cross: rotations are matrices.
#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "antaeus/core/error.hpp"
#include "antaeus/core/note.hpp"
#include "antaeus/core/pose.hpp"
#include "antaeus/core/wrench.hpp"
#include "antaeus/robot/robot_description.hpp"
#include "antaeus/sim/mujoco_camera.hpp"
#include "antaeus/sim/mujoco_scene.hpp"

namespace antaeus::detail {

enum class JointKind : std::uint8_t { free, slide, hinge };

struct BodyFacts {
  std::string name;
  int parent = -1;  // body 0 is the world
  Pose X_PB;        // at the reference position; of a free body unused
  double mass = 0.0;
  Pose X_BI;                          // principal axes of inertia at the centre of mass
  Vector3 inertia = Vector3::Zero();  // about them
  std::vector<int> joints;            // in the order in which they move the body
};

struct JointFacts {
  std::string name;
  JointKind kind = JointKind::hinge;
  int body = 0;
  int position = 0;                                           // index in MuJoCo's qpos
  int velocity = 0;                                           // index in its qvel
  Vector3 anchor = Vector3::Zero(), axis = Vector3::UnitZ();  // in body axes
  double reference = 0.0;                                     // position in which the file draws the robot
  double lower = -kInfinity, upper = kInfinity, effort = kInfinity;
  double armature = 0.0, damping = 0.0;
};

struct SiteFacts {
  std::string name;
  int body = 0;
  Pose X_BS;
};

struct GeomFacts {
  std::string name;
  int body = 0;
  bool has_shape = false;  // planes, ellipsoids and fields have none here
  bool is_visual = false;  // it touches nothing
  Shape shape;             // in body axes
};

struct ActuatorFacts {
  std::string name;
  int joint = -1;                  // that it moves; -1: something else
  int control = 0;                 // index in ctrl
  std::string tendon;              // that it pulls, as messages name it; else empty
  std::vector<int> tendon_joints;  // of a fixed tendon; none where it runs through space
  bool is_torque = false;          // its control is the joint's torque
  bool is_tool = false;
  double lower = -kInfinity, upper = kInfinity;  // of its force
};

/// A constraint of MuJoCo that a tree of joints does not hold.
struct EqualityFacts {
  std::string what;           // as messages name it
  std::vector<int> joints;    // that it couples: a follower, and the one that it follows where there is one
  int body = -1, other = -1;  // between which it closes a loop; −1: it does not
};

/// What a compiled model holds, as plain data.
struct SceneFacts {
  std::string name, sha256;
  int position_size = 0, velocity_size = 0, control_size = 0;
  Vector3 gravity = Vector3::Zero();
  double time_step = 0.0;
  VectorX position0;  // qpos at the reference
  std::vector<BodyFacts> bodies;
  std::vector<JointFacts> joints;
  std::vector<SiteFacts> sites;
  std::vector<GeomFacts> geoms;
  std::vector<ActuatorFacts> actuators;
  int force_sensor = -1;                  // index of the site, in `sites`
  std::vector<EqualityFacts> equalities;  // that act from the start
  std::vector<Note> notes;                // what a tree of joints does not hold
};

/// A contact with a force, after a step.
struct ContactFacts {
  int geom, other;  // the normal points from `geom` to `other`
  Vector3 place;    // world [m]
  Wrench on_other;  // of `geom` on `other`, about `place`, world axes
};

/// mjData: vectors in MuJoCo's own order. All functions are total and free of allocation.
class State {
 public:
  virtual ~State() = default;
  virtual double* position() noexcept = 0;
  virtual double* velocity() noexcept = 0;
  virtual double* acceleration() noexcept = 0;  // input of `inverse`, else output
  virtual double* control() noexcept = 0;
  virtual double* applied() noexcept = 0;                      // generalised forces beside the actuators'
  virtual const double* actuator_torque() const noexcept = 0;  // in joint space, of the last step
  virtual double time() const noexcept = 0;
  virtual void reset() noexcept = 0;
  /// Of all contact pairs, from now on: solref[0]. Allocates the first time. \return how many pairs there are
  virtual int set_pair_time_constant(double time_constant) = 0;
  virtual void step() noexcept = 0;
  // Of position and velocity as they stand, without friction, springs, actuators, limits and contacts:
  virtual void inverse(double* torque) noexcept = 0;  // M a + C v + g
  virtual void forward() noexcept = 0;                // acceleration() from applied()
  virtual void mass_matrix(double* M) noexcept = 0;   // rows one after the other
  virtual void pose(bool is_site, int index, Pose& X) noexcept = 0;
  virtual void jacobian(bool is_site, int index, double* linear, double* angular) noexcept = 0;  // 3 × nv, rows
  // Of the last step, at its beginning:
  virtual int contact_count() const noexcept = 0;
  virtual ContactFacts contact(int index) const noexcept = 0;
  virtual Pose frame(bool is_site, int index) const noexcept = 0;
  virtual Wrench force_sensor() const noexcept = 0;  // of the parent on the site's body, about the site, in its axes
  // What moving and holding a body takes, m (a − g) and the moment, about its centre of mass, in world axes.
  virtual Wrench demand(int body, Vector3& center_of_mass) const noexcept = 0;
};

/// Renders without a screen.
class Camera {
 public:
  virtual ~Camera() = default;
  virtual std::string render(const double* position, const std::vector<CameraArrow>& arrows) = 0;
};

class Model {
 public:
  virtual ~Model() = default;
  virtual const SceneFacts& facts() const noexcept = 0;
  virtual std::vector<std::byte> binary() const = 0;
  /// \param is_free  without friction, springs, actuators, limits and contacts
  virtual std::unique_ptr<State> make_state(bool is_free) const = 0;
  /// \throws Error where EGL is missing
  virtual std::unique_ptr<Camera> make_camera(int width, int height, const CameraView& view) const = 0;
};

class Engine {
 public:
  virtual ~Engine() = default;
  virtual std::unique_ptr<Model> compose(const SceneDescription& description) const = 0;
  /// The folder that holds the folder of MuJoCo's library: other packages lie beside it.
  virtual std::filesystem::path packages() const = 0;
};

/// Loads the plugin on first use. \throws Error that says why it cannot be loaded
const Engine& engine();

/// The names of facts, those that have one.
template <class Facts>
std::vector<std::string> names_of(const std::vector<Facts>& all) {
  std::vector<std::string> names;
  for (const Facts& one : all) {
    if (!one.name.empty()) names.push_back(one.name);
  }
  return names;
}

/// Index of a name in facts; -1: there is none.
template <class Facts>
int find_name(const std::vector<Facts>& all, const std::string& name) noexcept {
  const auto found = std::find_if(all.begin(), all.end(), [&](const Facts& one) { return one.name == name; });
  return found == all.end() || name.empty() ? -1 : static_cast<int>(found - all.begin());
}

/// The same; \throws ModelError at \p place with the nearest name
template <class Facts>
int index_of(const std::vector<Facts>& all, const std::string& name, const std::string& place, const char* kind) {
  const int index = find_name(all, name);
  if (index < 0) throw_unknown<ModelError>(place, kind, name, names_of(all));
  return index;
}

}  // namespace antaeus::detail

/// The plugin's one function. Its name carries the version of this border: a plugin of another version is not found
/// rather than misread.
extern "C" const antaeus::detail::Engine* antaeus_sim_engine_3();
