#pragma once
/// \file
/// Pictures of a scene, rendered without a screen (EGL).

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/core/types.hpp"
#include "antaeus/sim/mujoco_scene.hpp"

namespace antaeus {

/// From where a picture is taken: a camera that looks at a place, upright.
struct CameraView {
  Vector3 target{0.0, 0.3, 0.4};  ///< what it looks at, world axes [m]
  double distance = 1.8;          ///< from it [m]
  double azimuth = 2.3;           ///< direction in which it looks, from world x to y [rad]
  double elevation = -0.3;        ///< of the direction in which it looks; negative is downwards [rad]
};

/// An arrow that is drawn into a picture.
struct CameraArrow {
  Vector3 from{0, 0, 0}, to{0, 0, 0};             ///< world axes [m]; one without length or with NaN is left out
  double width = 0.008;                           ///< of its shaft [m]
  Eigen::Vector4d color{0.835, 0.369, 0.0, 1.0};  ///< red, green, blue, opacity
};

/// Draws a scene at positions. Set-up code: allocates, and takes a tenth of a second a picture without a graphics card.
/// Each instance has a context of its own; use it from one thread at a time.
class ANTAEUS_API MujocoCamera {
 public:
  /// \param width, height  of a picture [px], 16 to 4096
  /// \throws Error where the machine cannot render without a screen (names the package), ModelError for another size
  MujocoCamera(const MujocoScene& scene, int width, int height, const CameraView& view = {});
  ~MujocoCamera();
  MujocoCamera(MujocoCamera&&) noexcept;
  MujocoCamera& operator=(MujocoCamera&&) noexcept;

  int width() const noexcept;
  int height() const noexcept;

  /// Rows from the top, three bytes a pixel: red, green, blue.
  /// \param qpos  in MuJoCo's order [nq] \throws ModelError for another size or numbers that are not finite
  std::string render(ConstVectorRef qpos, const std::vector<CameraArrow>& arrows = {});

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The program that makes videos: the one that the environment's ANTAEUS_FFMPEG names, else that of the package
/// imageio-ffmpeg beside MuJoCo's, else the first on the PATH. \throws Error that names the package
ANTAEUS_API std::filesystem::path find_ffmpeg();

}  // namespace antaeus
