#include <Eigen/Geometry>
#include <utility>

#include "antaeus/core/error.hpp"
#include "sim/mujoco/mujoco_parts.hpp"

namespace antaeus::detail {

namespace {

class MujocoState final : public State {
 public:
  explicit MujocoState(std::shared_ptr<const mjModel> model) : model_(std::move(model)), data_(mj_makeData(m())) {
    if (!data_) throw Error("MuJoCo", "no memory for a state", "free some");
    for (int sensor = 0; sensor < m()->nsensor; ++sensor) {
      if (m()->sensor_type[sensor] == mjSENS_FORCE && force_ < 0) force_ = m()->sensor_adr[sensor];
      if (m()->sensor_type[sensor] == mjSENS_TORQUE && torque_ < 0) torque_ = m()->sensor_adr[sensor];
    }
  }

  double* position() noexcept override { return data_->qpos; }
  double* velocity() noexcept override { return data_->qvel; }
  double* acceleration() noexcept override { return data_->qacc; }
  double* control() noexcept override { return data_->ctrl; }
  double* applied() noexcept override { return data_->qfrc_applied; }
  const double* actuator_torque() const noexcept override { return data_->qfrc_actuator; }
  double time() const noexcept override { return data_->time; }

  void reset() noexcept override { mj_resetData(m(), d()); }
  int set_pair_time_constant(double time_constant) override {
    if (!own_) model_ = own_ = std::shared_ptr<mjModel>(mj_copyModel(nullptr, m()), mj_deleteModel);
    if (!own_) throw Error("MuJoCo", "no memory for a model", "free some");
    for (int pair = 0; pair < own_->npair; ++pair) own_->pair_solref[mjNREF * pair] = time_constant;
    return static_cast<int>(own_->npair);
  }
  void step() noexcept override { mj_step(m(), d()); }

  void inverse(double* torque) noexcept override {
    mj_inverse(m(), d());
    mju_copy(torque, data_->qfrc_inverse, static_cast<int>(m()->nv));
  }
  void forward() noexcept override { mj_forward(m(), d()); }
  void mass_matrix(double* M) noexcept override {
    mj_fwdPosition(m(), d());
    mj_fullM(m(), d(), M);
  }

  void pose(bool is_site, int index, Pose& X) noexcept override {
    mj_kinematics(m(), d());
    X = frame(is_site, index);
  }
  void jacobian(bool is_site, int index, double* linear, double* angular) noexcept override {
    mj_kinematics(m(), d());
    mj_comPos(m(), d());
    if (is_site) {
      mj_jacSite(m(), d(), linear, angular, index);
    } else {
      mj_jacBody(m(), d(), linear, angular, index);
    }
  }

  int contact_count() const noexcept override { return data_->ncon; }

  ContactFacts contact(int index) const noexcept override {
    const mjContact& contact = data_->contact[index];
    mjtNum numbers[6];
    mj_contactForce(m(), data_.get(), index, numbers);
    const Matrix3 R_WC = to_matrix(contact.frame).transpose();  // its rows are the normal and two tangents
    ContactFacts facts{contact.geom[0], contact.geom[1], to_vector(contact.pos), {}};
    // MuJoCo: "the force of geom 1 on geom 2", along the normal from the one to the other.
    facts.on_other = {R_WC * to_vector(numbers), R_WC * to_vector(numbers + 3)};
    return facts;
  }

  Pose frame(bool is_site, int index) const noexcept override {
    if (is_site) return {to_matrix(data_->site_xmat + 9 * index), to_vector(data_->site_xpos + 3 * index)};
    return {to_matrix(data_->xmat + 9 * index), to_vector(data_->xpos + 3 * index)};
  }

  Wrench force_sensor() const noexcept override {
    if (force_ < 0 || torque_ < 0) return {Vector3::Constant(kNaN), Vector3::Constant(kNaN)};
    return {to_vector(data_->sensordata + force_), to_vector(data_->sensordata + torque_)};
  }

  Wrench demand(int body, Vector3& center_of_mass) const noexcept override {
    // About the centre of mass, angular part first; MuJoCo's acceleration holds −g.
    mjtNum acceleration[6], velocity[6];
    mj_objectAcceleration(m(), data_.get(), mjOBJ_BODY, body, acceleration, 0);
    mj_objectVelocity(m(), data_.get(), mjOBJ_BODY, body, velocity, 0);
    const Matrix3 R = to_matrix(data_->ximat + 9 * body);
    const Matrix3 I = R * to_vector(m()->body_inertia + 3 * body).asDiagonal() * R.transpose();
    const Vector3 omega = to_vector(velocity);
    center_of_mass = to_vector(data_->xipos + 3 * body);
    return {m()->body_mass[body] * to_vector(acceleration + 3), I * to_vector(acceleration) + omega.cross(I * omega)};
  }

 private:
  const mjModel* m() const noexcept { return model_.get(); }
  mjData* d() noexcept { return data_.get(); }

  std::shared_ptr<const mjModel> model_;
  std::shared_ptr<mjModel> own_;  // the same, where it was changed
  DataPointer data_;
  int force_ = -1, torque_ = -1;  // in sensordata
};

}  // namespace

std::unique_ptr<State> make_state(std::shared_ptr<const mjModel> model) {
  return std::make_unique<MujocoState>(std::move(model));
}

std::shared_ptr<const mjModel> free_copy(const mjModel& model) {
  ModelPointer copy(mj_copyModel(nullptr, &model));
  if (!copy) throw Error("MuJoCo", "no memory for a model", "free some");
  copy->opt.disableflags |= mjDSBL_CONSTRAINT | mjDSBL_SPRING | mjDSBL_DAMPER | mjDSBL_ACTUATION | mjDSBL_SENSOR;
  copy->opt.density = copy->opt.viscosity = 0.0;
  mju_zero(copy->body_gravcomp, static_cast<int>(copy->nbody));
  return copy;
}

}  // namespace antaeus::detail
