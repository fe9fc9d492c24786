#pragma once
/// \file
/// Tables across Arrow's C Data Interface (https://arrow.apache.org/docs/format/CDataInterface.html): to the Parquet
/// plugin and to Python without a copy of the numbers, and without Arrow.

#include <cstdint>
#include <functional>
#include <memory>

#include "antaeus/core/api.hpp"
#include "antaeus/io/table.hpp"

// The interface's three structs, as its specification asks every user to declare them.
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE
#define ARROW_FLAG_NULLABLE 2
extern "C" {
struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  std::int64_t flags;
  std::int64_t n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};
struct ArrowArray {
  std::int64_t length;
  std::int64_t null_count;
  std::int64_t offset;
  std::int64_t n_buffers;
  std::int64_t n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};
}
#endif
#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE
extern "C" {
struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema*);
  int (*get_next)(ArrowArrayStream*, ArrowArray*);
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};
}
#endif

namespace antaeus {

/// The next rows, with the same columns each time; null once all were given.
using SharedParts = std::function<std::shared_ptr<const Table>()>;

/// Columns of doubles (NaN is null), 64-bit integers and texts by dictionary, with unit and meaning as metadata. What
/// is read of the stream keeps its table alive. \param first  whose columns all parts have \param next  what follows
ANTAEUS_API void export_arrow(std::shared_ptr<const Table> first, SharedParts next, ArrowArrayStream& stream);

}  // namespace antaeus
