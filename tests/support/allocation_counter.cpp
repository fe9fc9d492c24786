#include "support/allocation_counter.hpp"

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <new>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ANTAEUS_COUNTS_MALLOC 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define ANTAEUS_COUNTS_MALLOC 0
#endif
#endif
#if !defined(ANTAEUS_COUNTS_MALLOC)
#if defined(__GLIBC__)
#define ANTAEUS_COUNTS_MALLOC 1
#else
#define ANTAEUS_COUNTS_MALLOC 0
#endif
#endif

namespace {

// Plain integers of the executable's own: no constructor runs, so they may be touched inside malloc before main.
thread_local std::int64_t allocations = 0;
thread_local int armed = 0;

inline void note() noexcept {
  if (armed > 0) ++allocations;
}

}  // namespace

namespace antaeus::test {

AllocationCounter::AllocationCounter() noexcept : before_(allocations) { ++armed; }
AllocationCounter::~AllocationCounter() { --armed; }
std::int64_t AllocationCounter::count() const noexcept { return allocations - before_; }
bool AllocationCounter::counts_malloc() noexcept { return ANTAEUS_COUNTS_MALLOC != 0; }

}  // namespace antaeus::test

#if ANTAEUS_COUNTS_MALLOC

// The library's operator new calls malloc, so it is counted here once and needs no replacement.
extern "C" {

void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size) {
  note();
  return __libc_malloc(size);
}

void* calloc(std::size_t count, std::size_t size) {
  note();
  return __libc_calloc(count, size);
}

void* realloc(void* memory, std::size_t size) {
  note();
  return __libc_realloc(memory, size);
}

void* memalign(std::size_t alignment, std::size_t size) {
  note();
  return __libc_memalign(alignment, size);
}

void* aligned_alloc(std::size_t alignment, std::size_t size) {
  note();
  return __libc_memalign(alignment, size);
}

int posix_memalign(void** memory, std::size_t alignment, std::size_t size) {
  if (alignment % sizeof(void*) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0) return EINVAL;
  note();
  void* const block = __libc_memalign(alignment, size);
  if (!block) return ENOMEM;
  *memory = block;
  return 0;
}

}  // extern "C"

#else

// The sanitizer brings every form of its own, so each is replaced here; over-aligned ones stay with it, uncounted.
void* operator new(std::size_t size) {
  note();
  if (void* const memory = std::malloc(size > 0 ? size : 1)) return memory;
  throw std::bad_alloc();
}

void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  note();
  return std::malloc(size > 0 ? size : 1);
}

void* operator new[](std::size_t size) { return ::operator new(size); }
void* operator new[](std::size_t size, const std::nothrow_t& tag) noexcept { return ::operator new(size, tag); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { std::free(memory); }

#endif
