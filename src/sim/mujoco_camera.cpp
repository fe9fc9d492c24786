#include "antaeus/sim/mujoco_camera.hpp"

#include <unistd.h>

#include <cstdlib>
#include <string_view>
#include <system_error>

#include "antaeus/core/error.hpp"
#include "sim/mujoco_scene_impl.hpp"

namespace antaeus {

struct MujocoCamera::Impl {
  MujocoScene scene;  // keeps the model alive
  std::unique_ptr<detail::Camera> camera;
  int width, height;
};

MujocoCamera::MujocoCamera(const MujocoScene& scene, int width, int height, const CameraView& view) {
  constexpr int kSmallest = 16, kLargest = 4096;
  if (width < kSmallest || height < kSmallest || width > kLargest || height > kLargest) {
    throw ModelError("camera", std::to_string(width) + " × " + std::to_string(height) + " is no size of a picture",
                     "give 16 to 4096 pixels each way");
  }
  impl_ = std::make_unique<Impl>(Impl{scene, scene.impl().model->make_camera(width, height, view), width, height});
}

MujocoCamera::~MujocoCamera() = default;
MujocoCamera::MujocoCamera(MujocoCamera&&) noexcept = default;
MujocoCamera& MujocoCamera::operator=(MujocoCamera&&) noexcept = default;

int MujocoCamera::width() const noexcept { return impl_->width; }
int MujocoCamera::height() const noexcept { return impl_->height; }

std::string MujocoCamera::render(ConstVectorRef qpos, const std::vector<CameraArrow>& arrows) {
  const int size = impl_->scene.impl().facts().position_size;
  if (qpos.size() != size || !qpos.allFinite()) {
    throw ModelError("camera", "the position is not of " + std::to_string(size) + " finite numbers",
                     "give MuJoCo's qpos");
  }
  return impl_->camera->render(qpos.data(), arrows);
}

namespace {

bool is_program(const std::filesystem::path& file) {
  std::error_code unknown;
  return std::filesystem::is_regular_file(file, unknown) && ::access(file.c_str(), X_OK) == 0;
}

}  // namespace

std::filesystem::path find_ffmpeg() {
  namespace fs = std::filesystem;
  if (const char* const named = std::getenv("ANTAEUS_FFMPEG"); named && *named) {
    if (is_program(named)) return named;
    throw Error("ANTAEUS_FFMPEG", "'" + std::string(named) + "' is not a program that can be run",
                "name ffmpeg's full path");
  }
  std::error_code absent;
  const fs::path folder = detail::engine().packages() / "imageio_ffmpeg" / "binaries";
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, absent)) {
    if (entry.path().filename().string().starts_with("ffmpeg-") && is_program(entry.path())) return entry.path();
  }
  const char* const path = std::getenv("PATH");
  std::string_view folders = path ? path : "";
  while (!folders.empty()) {
    const std::size_t end = std::min(folders.find(':'), folders.size());
    const fs::path program = fs::path(folders.substr(0, end)) / "ffmpeg";
    if (end > 0 && is_program(program)) return program;
    folders.remove_prefix(std::min(end + 1, folders.size()));
  }
  throw Error("ffmpeg", "the package imageio-ffmpeg is missing, and ffmpeg is not on the PATH",
              "pip install imageio-ffmpeg==0.8.1 in addition to mujoco, or set ANTAEUS_FFMPEG");
}

}  // namespace antaeus
