#include "antaeus/sim/mujoco_camera.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "antaeus/core/error.hpp"
#include "antaeus/io/video.hpp"
#include "sim/scenes.hpp"
#include "support/shared.hpp"

namespace antaeus {
namespace {

constexpr int kWidth = 64, kHeight = 48;
constexpr const char* kRedBall = R"(<mujoco><worldbody>
  <body name="ball"><joint name="side" type="slide" axis="1 0 0"/><geom size="0.2" rgba="1 0 0 1"/></body>
</worldbody></mujoco>)";
const CameraView kFromTheFront{.target = {0, 0, 0}, .distance = 2.0, .azimuth = 1.5707963267948966, .elevation = 0.0};

struct Pixel {
  int red, green, blue;
  bool is_red() const { return red > 100 && green < 80 && blue < 80; }
};
Pixel at(const std::string& picture, int x, int y) {
  const auto byte = [&](int c) { return static_cast<unsigned char>(picture[3 * (y * kWidth + x) + c]); };
  return {byte(0), byte(1), byte(2)};
}

/// Skips where the machine has no EGL, and nowhere else.
#define CAMERA_OR_SKIP(camera, scene)                                               \
  std::unique_ptr<MujocoCamera> camera;                                             \
  try {                                                                             \
    camera = std::make_unique<MujocoCamera>(scene, kWidth, kHeight, kFromTheFront); \
  } catch (const Error& error) {                                                    \
    if (std::string(error.what()).find("libegl1") == std::string::npos) throw;      \
    ANTAEUS_SKIP("EGL is missing", "apt-get install libegl1 libgl1-mesa-dri");      \
  }

TEST(MujocoCamera, DrawsWhatStandsWhereItStands) {
  const MujocoScene scene(test::scene_of(kRedBall));
  CAMERA_OR_SKIP(camera, scene)
  const std::string middle = camera->render(VectorX::Zero(1));
  ASSERT_EQ(middle.size(), std::size_t{3 * kWidth * kHeight});
  EXPECT_TRUE(at(middle, kWidth / 2, kHeight / 2).is_red());
  for (const int x : {0, kWidth - 1}) {
    for (const int y : {0, kHeight - 1}) {
      const Pixel corner = at(middle, x, y);
      EXPECT_FALSE(corner.is_red());
      EXPECT_GT(corner.red + corner.green + corner.blue, 400) << "the sky is not black";
    }
  }
  // It looks along world y: x is to the right.
  const std::string right = camera->render(VectorX::Constant(1, 0.6));
  EXPECT_FALSE(at(right, kWidth / 2, kHeight / 2).is_red());
  EXPECT_TRUE(at(right, kWidth * 7 / 8, kHeight / 2).is_red() || at(right, kWidth * 3 / 4, kHeight / 2).is_red());
  EXPECT_EQ(camera->render(VectorX::Zero(1)), middle) << "the same position gives the same picture";
}

TEST(MujocoCamera, RowsBeginAtTheTopAndArrowsAreDrawn) {
  const MujocoScene scene(test::scene_of(kRedBall));
  CAMERA_OR_SKIP(camera, scene)
  const VectorX away = VectorX::Constant(1, 50.0);
  const std::string empty = camera->render(away);
  CameraArrow arrow{.from = {0, 0, 0.1}, .to = {0, 0, 0.7}, .width = 0.05, .color = {1, 0, 0, 1}};
  const std::string with = camera->render(away, {arrow});
  int above = 0, below = 0;
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) (y < kHeight / 2 ? above : below) += at(with, x, y).is_red();
  }
  EXPECT_GT(above, 10);
  EXPECT_EQ(below, 0);
  arrow.to = Vector3::Constant(kNaN);
  EXPECT_EQ(camera->render(away, {arrow}), empty) << "an arrow that is not known is left out";
}

TEST(MujocoCamera, TwoCamerasDoNotDisturbEachOther) {
  const MujocoScene scene(test::scene_of(kRedBall));
  CAMERA_OR_SKIP(first, scene)
  const std::string before = first->render(VectorX::Zero(1));
  {
    CAMERA_OR_SKIP(second, scene)
    EXPECT_EQ(second->render(VectorX::Zero(1)), before);
  }
  EXPECT_EQ(first->render(VectorX::Zero(1)), before);
}

TEST(MujocoCamera, RefusesWhatItCannotDraw) {
  const MujocoScene scene(test::scene_of(kRedBall));
  EXPECT_THROW(MujocoCamera(scene, 8, 48), ModelError);
  EXPECT_THROW(MujocoCamera(scene, 64, 5000), ModelError);
  CAMERA_OR_SKIP(camera, scene)
  EXPECT_THROW(camera->render(VectorX::Zero(2)), ModelError);
  EXPECT_THROW(camera->render(VectorX::Constant(1, kNaN)), ModelError);
}

TEST(VideoWriter, MakesAnMp4OfPictures) {
  std::filesystem::path ffmpeg;
  try {
    ffmpeg = find_ffmpeg();
  } catch (const Error&) {
    ANTAEUS_SKIP("ffmpeg is missing", "pip install imageio-ffmpeg");
  }
  const auto make = [&] {
    VideoWriter video(ffmpeg, kWidth, kHeight, 10.0);
    for (const char shade : {'\x20', '\x60', '\xa0'}) video.add(std::string(3 * kWidth * kHeight, shade));
    EXPECT_THROW(video.add("too short"), Error);
    return video.finish();
  };
  const std::string mp4 = make();
  EXPECT_EQ(mp4.substr(4, 4), "ftyp");
  EXPECT_EQ(make(), mp4) << "the same pictures give the same bytes";
  EXPECT_THROW(VideoWriter(ffmpeg, 63, 48, 10.0), Error);
  EXPECT_THROW(VideoWriter("/nowhere/ffmpeg", kWidth, kHeight, 10.0), Error);
}

/// A program that ends at once neither hangs nor ends this one.
TEST(VideoWriter, SurvivesAProgramThatFails) {
  VideoWriter video("/bin/false", kWidth, kHeight, 10.0);
  try {
    for (int i = 0; i < 200; ++i) video.add(std::string(3 * kWidth * kHeight, '\0'));
    video.finish();
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("libx264"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace antaeus
