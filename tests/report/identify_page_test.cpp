#include <gtest/gtest.h>

#include "antaeus/identification/identify.hpp"
#include "antaeus/report/pages.hpp"

namespace antaeus {
namespace {

IdentifyResult made_up(int joints) {
  IdentifyResult r;
  r.identified = true;
  r.method = IdentifyMethod::held_pose;
  r.robot = "a <robot>";
  r.unit = "channel units";
  r.runs = 5;
  r.hold_out = "each run";
  r.hold_out_covered = 0.94;
  r.largest_speed = 1.86;
  r.command = "antaeus identify run";
  r.parameters = {{"hip.mass", "kg", 0.2, 0.05, 0.5}};
  r.omitted = {{"hip.coulomb", "it stands still"}};
  for (int j = 0; j < joints; ++j) {
    IdentifiedJoint joint;
    joint.joint = joint.label = "joint " + std::to_string(j);
    joint.motor = j;
    joint.identified = j != 1;
    if (j == 1) joint.use = ChannelUse::dead, joint.reason = "joint 1: the channel is dead";
    joint.offset = 0.1 * j, joint.offset_error = 0.02, joint.white_sd = 0.1;
    joint.rms_before = 1.0, joint.rms_after = 0.2, joint.hold_out_rms = 0.3, joint.hold_out_covered = 0.95;
    joint.residual = {{1, 2, 3}, {1, kNaN, 0.5}, {0.2, kNaN, -0.1}, {0.3, kNaN, 0.3}};
    r.joints.push_back(std::move(joint));
  }
  return r;
}

TEST(IdentifyPage, HoldsTheVerdictTheFiguresAndWhatIsNotIdentified) {
  for (const int joints : {2, 7, 15}) {
    const std::string html = html_page(identify_page(made_up(joints)));
    for (const char* text :
         {"Is the noise identified?", "a &lt;robot&gt;", "channel units", "joint 1: the channel is dead", "hip.mass",
          "hip.coulomb", "antaeus identify run", "id=\"figure-residuals\""}) {
      EXPECT_NE(html.find(text), std::string::npos) << text << " " << joints;
    }
    EXPECT_EQ(html, html_page(identify_page(made_up(joints))));
  }
}

TEST(IdentifyPage, ARunWithoutResultSaysWhatIsMissing) {
  IdentifyResult r;
  r.missing = {"the log has 3 s of motion, 10 s are needed"};
  const Page page = identify_page(r);
  EXPECT_EQ(page.badge, "not identified");
  const std::string html = html_page(page);
  EXPECT_NE(html.find("are needed"), std::string::npos);
  EXPECT_EQ(html.find("id=\"figure-residuals\""), std::string::npos);
}

TEST(IdentifyPage, UnlabelledIsSaidAtTheTop) {
  IdentifyResult r = made_up(3);
  r.method = IdentifyMethod::unlabelled;
  EXPECT_EQ(identify_page(r).badge, "unlabelled");
}

}  // namespace
}  // namespace antaeus
