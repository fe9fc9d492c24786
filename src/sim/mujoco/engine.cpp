#include <dlfcn.h>

#include <Eigen/Geometry>
#include <filesystem>
#include <utility>

#include "antaeus/core/error.hpp"
#include "sim/mujoco/mujoco_parts.hpp"

namespace antaeus::detail {

Matrix3 to_rotation(const mjtNum* wxyz) {
  return Eigen::Quaterniond(wxyz[0], wxyz[1], wxyz[2], wxyz[3]).normalized().toRotationMatrix();
}

void to_quaternion(const Matrix3& rotation, double* to) {
  const Eigen::Quaterniond q(rotation);
  to[0] = q.w(), to[1] = q.x(), to[2] = q.y(), to[3] = q.z();
}

namespace {

class MujocoModel final : public Model {
 public:
  explicit MujocoModel(Composed composed) : facts_(read_facts(composed)), model_(std::move(composed.model)) {
    free_ = free_copy(*model_);
  }

  const SceneFacts& facts() const noexcept override { return facts_; }

  std::vector<std::byte> binary() const override {
    std::vector<std::byte> bytes(static_cast<std::size_t>(mj_sizeModel(model_.get())));
    mj_saveModel(model_.get(), nullptr, bytes.data(), static_cast<mjtSize>(bytes.size()));
    return bytes;
  }

  std::unique_ptr<State> make_state(bool is_free) const override {
    return detail::make_state(is_free ? free_ : model_);
  }
  std::unique_ptr<Camera> make_camera(int width, int height, const CameraView& view) const override {
    return detail::make_camera(*model_, width, height, view);
  }

 private:
  SceneFacts facts_;
  std::shared_ptr<const mjModel> model_, free_;
};

/// MuJoCo's own prints and writes MUJOCO_LOG.TXT into the working directory; what matters reaches the caller as an
/// error or a status.
void stay_silent(const mjLogMessage*) {}

class MujocoEngine final : public Engine {
 public:
  MujocoEngine() { mju_setLogHandler(stay_silent); }

  std::unique_ptr<Model> compose(const SceneDescription& description) const override {
    return std::make_unique<MujocoModel>(compose_model(description));
  }

  std::filesystem::path packages() const override {
    Dl_info info{};
    if (::dladdr(reinterpret_cast<const void*>(&mj_step), &info) == 0 || !info.dli_fname) return {};
    return std::filesystem::path(info.dli_fname).parent_path().parent_path();
  }
};

}  // namespace

}  // namespace antaeus::detail

extern "C" __attribute__((visibility("default"))) const antaeus::detail::Engine* antaeus_sim_engine_3() {
  static const antaeus::detail::MujocoEngine engine;
  return &engine;
}
