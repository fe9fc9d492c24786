#pragma once
/// \file
/// The border between libantaeus.so and its Parquet plugin: plain C and Arrow's C Data Interface, so that neither needs
/// the other to be linked, and no exception crosses it. Texts are not terminated, and nobody owns what is shown.

#include <cstddef>
#include <cstdint>

struct ArrowArrayStream;

extern "C" {

/// Receives the next bytes of the file, or the reason of a failure, one line. \return 0, else 1: it wants no more
using AntaeusParquetTake = int (*)(void* receiver, const char* data, std::size_t size);

/// Both return 0 on success, else 1 after they have told the problem.
/// \param rows  of the table that is written, a row group or more each part; released
using AntaeusParquetWrite = int(ArrowArrayStream* rows, AntaeusParquetTake take_bytes, AntaeusParquetTake take_problem,
                                void* receiver);
/// \param path   of the file; what is wrong in it later is a failure of the stream
/// \param rows   in the file's order, 16 384 at a time at most; the caller releases it
/// \param count  of all rows
using AntaeusParquetRead = int(const char* path, std::size_t size, ArrowArrayStream* rows, std::int64_t* count,
                               AntaeusParquetTake take_problem, void* receiver);

/// Names carry the version of this border: a plugin of another version is not found rather than misread.
AntaeusParquetWrite antaeus_parquet_write_4;
AntaeusParquetRead antaeus_parquet_read_4;

}  // extern "C"
