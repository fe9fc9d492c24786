#include "antaeus/signal/ring_buffer.hpp"

#include <gtest/gtest.h>

#include <deque>

#include "antaeus/core/types.hpp"
#include "signal/random_signals.hpp"

namespace antaeus {
namespace {

TEST(RingBuffer, KeepsTheNewest) {
  RingBuffer<int> buffer(3);
  EXPECT_TRUE(buffer.empty());
  EXPECT_EQ(buffer.oldest(), nullptr);
  EXPECT_EQ(buffer.newest(), nullptr);
  for (int i = 1; i <= 5; ++i) buffer.push() = i;
  EXPECT_TRUE(buffer.full());
  EXPECT_EQ(buffer.size(), 3);
  EXPECT_EQ(buffer[0], 3);
  EXPECT_EQ(buffer[1], 4);
  EXPECT_EQ(buffer[2], 5);
  EXPECT_EQ(*buffer.oldest(), 3);
  EXPECT_EQ(*buffer.newest(), 5);
  buffer.clear();
  EXPECT_TRUE(buffer.empty());
  EXPECT_EQ(buffer.capacity(), 3);
  buffer.push() = 6;
  EXPECT_EQ(*buffer.oldest(), 6);
  EXPECT_EQ(*buffer.newest(), 6);
}

TEST(RingBuffer, IsADequeOfBoundedLength) {
  test::RandomSignals random(71);
  for (const int capacity : {1, 2, 7}) {
    RingBuffer<double> buffer(capacity);
    std::deque<double> reference;
    for (int step = 0; step < 500; ++step) {
      if (random.index(50) == 0) {
        buffer.clear();
        reference.clear();
      } else {
        reference.push_back(buffer.push() = random.normal());
        if (static_cast<int>(reference.size()) > capacity) reference.pop_front();
      }
      ASSERT_EQ(buffer.size(), static_cast<int>(reference.size()));
      for (int i = 0; i < buffer.size(); ++i) ASSERT_EQ(buffer[i], reference[static_cast<std::size_t>(i)]);
    }
  }
}

TEST(RingBuffer, SlotsHaveThePrototypesShape) {
  RingBuffer<VectorX> buffer(4, VectorX::Zero(27));
  for (int i = 0; i < 9; ++i) EXPECT_EQ(buffer.push().size(), 27);
}

TEST(RingBuffer, RefusesNoCapacity) {
  EXPECT_THROW(RingBuffer<int>(0), Error);
  EXPECT_THROW(RingBuffer<int>(-3), Error);
}

}  // namespace
}  // namespace antaeus
