#include "antaeus/core/reasons.hpp"

#include <gtest/gtest.h>

#include <map>

#include "support/allocation_counter.hpp"

namespace antaeus {
namespace {

/// The numbers stand in flight records: a record of today must read the same tomorrow. New ones come at the end.
TEST(Reasons, NumbersAreStable) {
  const std::map<unsigned, Reason> numbers = {{0, Reason::invalid_input},
                                              {1, Reason::rank_deficient},
                                              {2, Reason::condition_number},
                                              {3, Reason::reference_dominance},
                                              {4, Reason::clamped},
                                              {5, Reason::watchdog},
                                              {6, Reason::motion},
                                              {7, Reason::motion_unknown},
                                              {8, Reason::missing_channels},
                                              {9, Reason::low_rate},
                                              {10, Reason::gap},
                                              {11, Reason::settling},
                                              {12, Reason::time_back},
                                              {13, Reason::saturated},
                                              {14, Reason::uncertain},
                                              {15, Reason::unobservable_direction},
                                              {16, Reason::inconsistent},
                                              {17, Reason::torque_rate},
                                              {18, Reason::stale},
                                              {19, Reason::infeasible},
                                              {20, Reason::base_rows_dropped},
                                              {21, Reason::held},
                                              {22, Reason::force_limit},
                                              {23, Reason::position_out_of_limits},
                                              {24, Reason::position_jump},
                                              {25, Reason::dead_torque},
                                              {26, Reason::orientation_contradicts},
                                              {27, Reason::accelerometer_scale},
                                              {28, Reason::no_clock},
                                              {29, Reason::contradiction},
                                              {30, Reason::unexplained},
                                              {31, Reason::beyond_prior},
                                              {32, Reason::outside_identified},
                                              {33, Reason::assumed_friction},
                                              {34, Reason::not_tared},
                                              {35, Reason::set_up_suspect},
                                              {36, Reason::contact_since_start},
                                              {37, Reason::residual_follows_gravity},
                                              {38, Reason::residual_follows_velocity},
                                              {39, Reason::nis_stays_high},
                                              {40, Reason::insensible_direction},
                                              {41, Reason::contact_elsewhere},
                                              {42, Reason::transient},
                                              {43, Reason::joint_error},
                                              {44, Reason::position_slip}};
  EXPECT_EQ(numbers.size(), all_names<Reason>().size()) << "pin a new reason here";
  for (const auto& [number, reason] : numbers) {
    EXPECT_EQ(static_cast<unsigned>(reason), number) << to_string(reason);
    EXPECT_EQ(Reasons(reason).bits(), std::uint64_t{1} << number) << to_string(reason);
  }
  EXPECT_EQ(Reasons(Reason::force_limit).bits(), 4194304u);
}

TEST(Reasons, AreEmptyWhenMade) {
  EXPECT_TRUE(Reasons().empty());
  EXPECT_EQ(Reasons().bits(), 0u);
  EXPECT_EQ(Reasons().text(), "");
  for (std::size_t i = 0; i < all_names<Reason>().size(); ++i) EXPECT_FALSE(Reasons().has(static_cast<Reason>(i)));
}

TEST(Reasons, AddAndRemove) {
  Reasons reasons = Reason::motion;
  EXPECT_TRUE(reasons.has(Reason::motion));
  EXPECT_FALSE(reasons.has(Reason::stale));
  reasons.add(Reason::stale);
  reasons.add(Reason::stale);
  EXPECT_EQ(reasons, Reason::motion | Reason::stale);
  reasons.add(Reason::held | Reason::gap);
  reasons.add({});
  EXPECT_EQ(reasons, Reason::motion | Reason::stale | Reason::held | Reason::gap);
  reasons.remove(Reason::motion | Reason::held | Reason::clamped);
  EXPECT_EQ(reasons, Reason::gap | Reason::stale);
  reasons.remove(reasons);
  EXPECT_TRUE(reasons.empty());
}

TEST(Reasons, HasAnyIsWhatTwoSetsShare) {
  const Reasons reasons = Reason::motion | Reason::stale;
  EXPECT_TRUE(reasons.has_any(Reason::stale | Reason::held));
  EXPECT_TRUE(reasons.has_any(Reason::motion));
  EXPECT_FALSE(reasons.has_any(Reason::held | Reason::gap));
  EXPECT_FALSE(reasons.has_any({}));
  EXPECT_FALSE(Reasons().has_any(reasons));
}

TEST(Reasons, TextHasTheNamesInTheOrderOfTheNumbers) {
  EXPECT_EQ(Reasons(Reason::watchdog).text(), "watchdog");
  EXPECT_EQ((Reason::force_limit | Reason::invalid_input | Reason::gap).text(), "invalid_input gap force_limit");
}

TEST(Reasons, AreSixtyFourBits) {
  static_assert(std::is_same_v<decltype(Reasons().bits()), std::uint64_t>);
  static_assert(sizeof(Reasons) == 8);
  const std::uint64_t high = (std::uint64_t{1} << 63) | (std::uint64_t{1} << 50);
  Reasons reasons = Reasons::from_bits(high);
  EXPECT_EQ(reasons.bits(), high) << "what a later version wrote is not lost";
  EXPECT_FALSE(reasons.empty());
  EXPECT_TRUE(reasons.has(static_cast<Reason>(63)));
  EXPECT_FALSE(reasons.has(static_cast<Reason>(31))) << "no bit of the lower word";
  EXPECT_EQ(reasons.text(), "") << "it has no name here";
  reasons.add(Reason::held);
  EXPECT_EQ(reasons.text(), "held");
  EXPECT_EQ(Reasons::from_bits(reasons.bits()), reasons);
}

TEST(Reasons, DoNotAllocate) {
  test::AllocationCounter counter;
  Reasons reasons = Reason::motion | Reason::stale;
  reasons.add(Reason::held);
  reasons.remove(Reason::motion);
  const bool seen = reasons.has(Reason::held) && reasons.has_any(Reason::stale) && !reasons.empty();
  ASSERT_EQ(counter.count(), 0);
  EXPECT_TRUE(seen);
}

}  // namespace
}  // namespace antaeus
