#include "studies/ik_clip.hpp"

#include <algorithm>
#include <cmath>

#include "antaeus/core/error.hpp"
#include "antaeus/core/messages.hpp"
#include "antaeus/core/number_text.hpp"
#include "antaeus/io/video.hpp"
#include "antaeus/sim/mujoco_camera.hpp"
#include "antaeus/sim/mujoco_flyer.hpp"

namespace antaeus {

namespace {

constexpr int kHeld = 3;  ///< pictures that the end of a way, or an answer, stands

/// Joint positions of one picture, and where the target is.
struct Picture {
  const VectorX* q = nullptr;
  int target = 0;
};

}  // namespace

Clip ik_clip(const IkResult& result, const IkTrace* trace, const Settings& settings, const Progress& progress) {
  const auto choice = settings.get<ClipChoice>();
  check_clip(choice);
  const KinematicChain& chain = result.model.chain();
  std::vector<VectorX> answers;
  std::vector<Picture> pictures;
  if (trace) {
    for (const IkWay& way : trace->ways) {
      for (int k = 0; k < way.rows + kHeld - 1; ++k) {
        pictures.push_back({&trace->q[static_cast<std::size_t>(way.first + std::min(k, way.rows - 1))], way.target});
      }
    }
  } else {
    answers.reserve(static_cast<std::size_t>(result.size()));  // pictures point into it
    for (int t = 0; t < result.size(); ++t) {
      if (result.status(t) == ReachStatus::bad_input) continue;
      answers.emplace_back(result.answers.q.row(t).transpose());
      for (int k = 0; k < (result.request.path ? 1 : kHeld); ++k) pictures.push_back({&answers.back(), t});
    }
  }
  if (pictures.empty()) throw Error(arg(Input::clip), "no target can be shown", "leave " + arg(Input::clip));

  ModelOptions held;
  held.base = Base::fixed;
  held.locked_joints = chain.model().options().locked_joints;
  const MujocoScene scene(flyer_scene(RobotModel(result.description, held)));
  const std::vector<std::string> names = scene.joint_names();
  std::vector<Eigen::Index> place;
  for (const ChainJoint& joint : chain.joints()) {
    const auto at = std::find(names.begin(), names.end(), joint.name);
    if (at == names.end())
      throw Error(arg(Input::clip), "MuJoCo has no joint '" + joint.name + "'", "leave " + arg(Input::clip));
    place.push_back(at - names.begin());
  }
  const double reach = chain.reach();
  CameraView view;
  view.distance = std::isfinite(reach) ? std::clamp(2.2 * reach, 0.6, 6.0) : 2.6;
  view.target = Vector3(0.0, 0.0, 0.15 * view.distance);
  MujocoCamera camera(scene, choice.width, choice.height, view);
  VideoWriter video(find_ffmpeg(), choice.width, choice.height, choice.rate);
  const auto frames = std::min(pictures.size(), static_cast<std::size_t>(choice.frames));
  VectorX qpos = VectorX::Zero(std::ssize(names));
  for (std::size_t frame = 0; frame < frames; ++frame) {
    const std::size_t k = frames > 1 ? frame * (pictures.size() - 1) / (frames - 1) : 0;
    const VectorX& q = *pictures[k].q;
    for (std::size_t j = 0; j < place.size(); ++j) qpos[place[j]] = q[static_cast<Eigen::Index>(j)];
    Pose X_WF;
    chain.pose(q, X_WF);
    const Vector3& goal = result.request.targets.poses[static_cast<std::size_t>(pictures[k].target)].translation;
    // A short post marks the target also once it is reached.
    const CameraArrow gap{.from = X_WF.translation, .to = goal};
    const CameraArrow post{
        .from = goal - Vector3(0.0, 0.0, 0.12), .to = goal, .width = 0.006, .color = {0.0, 0.45, 0.7, 1.0}};
    video.add(camera.render(qpos, {gap, post}));
    if (progress) progress(static_cast<double>(frame + 1) / static_cast<double>(frames));
  }
  return {video.finish(), std::to_string(frames) + " pictures of " + std::to_string(pictures.size()) + ", " +
                              significant_text(choice.rate, 3) + " a second; " +
                              (trace ? "pinv, dls and the default method in turn" : "the answers in turn")};
}

}  // namespace antaeus
