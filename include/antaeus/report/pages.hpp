#pragma once
/// \file
/// The pages of results: each of these functions fills a Page (page.hpp), which `html_page` writes.
///
/// A page's views read the result's arrays when the page is written: the result must live as long as the page. `meshes`
/// are the robot's (read_meshes); null: none are drawn. The pages of contacts and of inverse kinematics are in the
/// component motion.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/report/page.hpp"
#include "antaeus/robot/robot_meshes.hpp"

namespace antaeus {

struct Audit;
struct CheckResult;
struct ContactResult;
struct IdentifyResult;
struct IkResult;
struct IkTrace;
struct RawLog;
struct Robot;
struct RobotFacts;

/// antaeus audit: what happened, why, what to do now, then all the rest.
ANTAEUS_API Page audit_page(const Audit& audit, std::shared_ptr<const MeshFiles> meshes = nullptr);

/// html_page of audit_page: one self-contained page. Names and paths are shown as text, whatever they hold. The same
/// audit gives the same bytes.
ANTAEUS_API std::string html_report(const Audit& audit, std::shared_ptr<const MeshFiles> meshes = nullptr);

/// antaeus show: the page of any log, without any verdict. Its numbers: log_summary.
///
/// Channels are the robot's where they have a column a motor, in motor order, or columns with names of its joints or
/// labels. Else the page says so, and draws no robot. The robot stands as the log's orientation says, upright where
/// there is none of a link that its base's follows from.
/// \param robot    null: joints are named as the log's columns, and nothing is drawn in space
/// \param command  the line that makes the page again; empty: none is shown
/// \param check    of the log; its findings stand first. Null: it was not checked
ANTAEUS_API Page show_page(const RawLog& log, const Robot* robot = nullptr,
                           std::shared_ptr<const MeshFiles> meshes = nullptr, const std::string& command = {},
                           const CheckResult* check = nullptr);

/// antaeus check: the most severe finding and how to mend it, all findings, and what the channels say of each other.
ANTAEUS_API Page check_page(const CheckResult& result);

/// antaeus robot: what it is, what its description does not say, where it can be touched, its tree. A step of the
/// page's views is a pose.
/// \param facts    of describe(robot)
/// \param command  the line that writes a profile of it; empty, or a robot that has one: none is shown
ANTAEUS_API Page robot_page(const Robot& robot, const RobotFacts& facts,
                            std::shared_ptr<const MeshFiles> meshes = nullptr, const std::string& command = {});

/// antaeus watch: the robot of a live page as one line of JSON that its viewer reads, without "<". A sample has one
/// number a channel, in this order: positions of the motors [M], orientation of the root link as a quaternion x y z w
/// [4], then of each endpoint its force [3] in N, the axes of one sd of it [9], ascending, and the force that the
/// consumer reads [3]; all in world axes.
/// \param endpoints  frames
/// \throws ModelError for a frame that the robot does not have
ANTAEUS_API std::string live_scene_json(const Robot& robot, const std::vector<std::string>& endpoints,
                                        std::shared_ptr<const MeshFiles> meshes = nullptr);

/// antaeus identify: what the torques read while nothing touches, how sure that is, and what it is good for. Also of a
/// result in which nothing was identified: it says what is missing.
ANTAEUS_API Page identify_page(const IdentifyResult& result);

/// antaeus contact: what carries a motion, whether it is possible, what the motion does not tell, and what is left.
/// Forces are those of the contacts on the robot (on the body where a total was given), torques those of the motors.
ANTAEUS_API Page contact_page(const ContactResult& result, std::shared_ptr<const MeshFiles> meshes = nullptr);

/// The same page of a motion that comes in blocks (contact/contact_blocks.hpp). It keeps what a screen can show: the
/// least and the largest value of each of some two thousand bins, and every step around the worst one.
class ANTAEUS_API ContactPageOfBlocks {
 public:
  /// \param frames  of all blocks
  explicit ContactPageOfBlocks(Eigen::Index frames, std::shared_ptr<const MeshFiles> meshes = nullptr);
  ContactPageOfBlocks(const ContactPageOfBlocks&) = delete;
  ContactPageOfBlocks& operator=(const ContactPageOfBlocks&) = delete;
  ~ContactPageOfBlocks();

  /// Every block, in order.
  void take(const ContactResult& block);
  /// Then: the blocks that hold frames [first, second) are wanted once more, in order.
  std::pair<Eigen::Index, Eigen::Index> shown_whole(const ContactResult& whole);
  void take_again(const ContactResult& block);
  /// The page needs neither this nor any result.
  Page finish(const ContactResult& whole);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// antaeus ik: which targets are reached, why the others are not, what a path does, and the robot at each answer. A
/// step of the page's views is a target.
ANTAEUS_API Page ik_page(const IkResult& result, std::shared_ptr<const MeshFiles> meshes = nullptr);

/// antaeus ik --trace: the way of each method to its answer, as numbers and as motion. A step of the page's views is an
/// iteration; the reader chooses target and method.
ANTAEUS_API Page ik_trace_page(const IkResult& result, const IkTrace& trace,
                               std::shared_ptr<const MeshFiles> meshes = nullptr);

}  // namespace antaeus
