#pragma once
/// \file
/// Counts the heap allocations of a scope, so that "does not allocate" is a test and not a hope.
///
///     AllocationCounter counter;
///     svd.compute(A);
///     EXPECT_EQ(counter.count(), 0);

#include <cstdint>

namespace antaeus::test {

/// Counts operator new, malloc, calloc, realloc, aligned_alloc, memalign and posix_memalign of the thread that made it,
/// from its construction to count(). Releasing memory is not counted. Counters may nest.
class AllocationCounter {
 public:
  AllocationCounter() noexcept;
  ~AllocationCounter();
  AllocationCounter(const AllocationCounter&) = delete;
  AllocationCounter& operator=(const AllocationCounter&) = delete;

  std::int64_t count() const noexcept;

  /// Whether malloc and its family are counted too. Under the address sanitizer, which owns them, and away from glibc
  /// only operator new is.
  static bool counts_malloc() noexcept;

 private:
  std::int64_t before_;
};

}  // namespace antaeus::test
