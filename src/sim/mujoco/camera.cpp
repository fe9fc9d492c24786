#include <algorithm>
#include <numbers>

#include "antaeus/core/error.hpp"
#include "sim/mujoco/mujoco_parts.hpp"
#include "sim/mujoco/offscreen.hpp"

namespace antaeus::detail {

namespace {

constexpr int kMostGeoms = 2000;

class OffscreenCamera final : public Camera {
 public:
  OffscreenCamera(const mjModel& model, int width, int height, const CameraView& view)
      : model_(mj_copyModel(nullptr, &model)), width_(width), height_(height) {
    if (model_) data_.reset(mj_makeData(model_.get()));
    if (!data_) throw Error("camera", "no memory for a model", "free some");
    mjVisual& visual = model_->vis;
    visual.global.offwidth = width;
    visual.global.offheight = height;
    std::fill_n(visual.headlight.ambient, 3, 0.35F);
    std::fill_n(visual.headlight.diffuse, 3, 0.45F);
    std::fill_n(visual.headlight.specular, 3, 0.1F);
    const Offscreen::Current current(offscreen_);
    mjv_defaultScene(&scene_);
    mjv_makeScene(model_.get(), &scene_, kMostGeoms);
    mjv_defaultOption(&option_);
    std::fill(std::begin(option_.sitegroup), std::end(option_.sitegroup), mjtByte{0});
    mjv_defaultCamera(&camera_);
    constexpr double kDegree = 180.0 / std::numbers::pi;
    camera_.type = mjCAMERA_FREE;
    std::copy_n(view.target.data(), 3, camera_.lookat);
    camera_.distance = view.distance;
    camera_.azimuth = view.azimuth * kDegree;
    camera_.elevation = view.elevation * kDegree;
    mjr_defaultContext(&context_);
    mjr_makeContext(model_.get(), &context_, mjFONTSCALE_100);
    mjr_setBuffer(mjFB_OFFSCREEN, &context_);
    if (context_.currentBuffer == mjFB_OFFSCREEN) return;
    release();
    throw Error("camera", "pictures cannot be rendered: OpenGL has no framebuffers",
                "install Mesa's drivers (Debian: apt-get install libegl1 libgl1-mesa-dri)");
  }
  ~OffscreenCamera() override {
    try {
      const Offscreen::Current current(offscreen_);
      release();
      // NOLINTNEXTLINE(bugprone-empty-catch): the context is gone, and what stood in it
    } catch (const Error&) {
    }
  }
  OffscreenCamera(const OffscreenCamera&) = delete;
  OffscreenCamera& operator=(const OffscreenCamera&) = delete;

  std::string render(const double* position, const std::vector<CameraArrow>& arrows) override {
    const Offscreen::Current current(offscreen_);
    mju_copy(data_->qpos, position, static_cast<int>(model_->nq));
    mj_kinematics(model_.get(), data_.get());
    mj_comPos(model_.get(), data_.get());
    mj_camlight(model_.get(), data_.get());
    mjv_updateScene(model_.get(), data_.get(), &option_, nullptr, &camera_, mjCAT_ALL, &scene_);
    for (const CameraArrow& arrow : arrows) add(arrow);
    const mjrRect frame{0, 0, width_, height_};
    mjr_render(frame, &scene_, &context_);
    const std::size_t row = 3 * static_cast<std::size_t>(width_);
    std::string pixels(row * static_cast<std::size_t>(height_), '\0');
    mjr_readPixels(reinterpret_cast<unsigned char*>(pixels.data()), nullptr, frame, &context_);
    for (int top = 0, bottom = height_ - 1; top < bottom; ++top, --bottom) {  // OpenGL's rows are from the bottom
      std::swap_ranges(pixels.begin() + static_cast<std::ptrdiff_t>(row) * top,
                       pixels.begin() + static_cast<std::ptrdiff_t>(row) * (top + 1),
                       pixels.begin() + static_cast<std::ptrdiff_t>(row) * bottom);
    }
    return pixels;
  }

 private:
  void add(const CameraArrow& arrow) {
    if (scene_.ngeom >= scene_.maxgeom || !((arrow.to - arrow.from).norm() > 1e-6)) return;
    mjvGeom* const geom = scene_.geoms + scene_.ngeom++;
    const Eigen::Vector4f color = arrow.color.cast<float>();
    mjv_initGeom(geom, mjGEOM_ARROW, nullptr, nullptr, nullptr, color.data());
    mjv_connector(geom, mjGEOM_ARROW, arrow.width, arrow.from.data(), arrow.to.data());
  }

  void release() noexcept {
    mjr_freeContext(&context_);
    mjv_freeScene(&scene_);
  }

  ModelPointer model_;
  DataPointer data_;
  int width_, height_;
  Offscreen offscreen_;
  mjvScene scene_{};
  mjvOption option_{};
  mjvCamera camera_{};
  mjrContext context_{};
};

}  // namespace

std::unique_ptr<Camera> make_camera(const mjModel& model, int width, int height, const CameraView& view) {
  return std::make_unique<OffscreenCamera>(model, width, height, view);
}

}  // namespace antaeus::detail
