// Results from a total wrench: feet, a hidden contact if it is seen, and the part that no contact explains.
#include <gtest/gtest.h>

#include "antaeus/contact/contact_result.hpp"
#include "contact/standing.hpp"
#include "support/tolerances.hpp"

namespace antaeus {

namespace {

/// A contact that may exist but is not seen must take no weight from the feet.
TEST(ContactSplit, APossibleContactThatIsNotSeenChangesNothing) {
  const TotalMotion motion = test::standing(test::kTwo, 200, 3, test::exact(), test::flat_sole()).motion;
  const ContactResult plain = contact_split(motion, {});
  SplitOptions possible;
  possible.hidden_contact = true;
  const ContactResult with = contact_split(motion, {}, {}, possible);
  ASSERT_TRUE(with.posterior->hidden.seen.empty());
  EXPECT_GT(with.posterior->hidden.resolution, 0.0) << "the size of a contact that would be seen";
  EXPECT_TRUE(with.solution.wrench == plain.solution.wrench);
  EXPECT_EQ(with.residual_share, plain.residual_share);
}

/// The column `active` names the feet that touch, as the intervals do.
TEST(ContactSplit, NamesTheFeetThatTouch) {
  const TotalMotion motion = test::lifted_foot();
  const ContactResult result = contact_split(motion, {});
  const std::vector<double> active = wrenches_table(result).numbers("active");
  ASSERT_EQ(std::ssize(active), 2 * motion.rows());
  Eigen::Index raised = 0;
  for (Eigen::Index t = 0; t < motion.rows(); ++t) {
    EXPECT_EQ(active[2 * static_cast<std::size_t>(t)], 1.0) << t;
    if (active[2 * static_cast<std::size_t>(t) + 1] != 0.0) continue;
    ++raised;
    EXPECT_TRUE(motion.time[t] > 1.5 && motion.time[t] < 2.5) << motion.time[t] << " s: the foot is on the ground";
    EXPECT_LT(result.solution.wrench(kFz, 2 * t + 1), 0.25 * motion.weight()) << t;
  }
  // It begins and ends slowly: 69 of the 100 rows, by the speed at which a foot counts as planted.
  EXPECT_GT(raised, 60);
}

}  // namespace

}  // namespace antaeus
