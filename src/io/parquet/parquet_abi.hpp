#pragma once
/// \file
/// The border between libantaeus.so and its Parquet plugin: plain C, so that neither needs the other to be linked, and
/// no exception crosses it. Texts are UTF-8 and not terminated; nothing is owned by the receiver.

#include <cstddef>
#include <cstdint>

extern "C" {

struct AntaeusParquetText {
  const char* data;
  std::size_t size;
};

/// A column; exactly one of numbers, integers and codes is set (none when there are no rows).
struct AntaeusParquetColumn {
  AntaeusParquetText name;
  AntaeusParquetText unit;
  AntaeusParquetText meaning;
  std::int32_t kind;      ///< 0 numbers, 1 integers, 2 text
  const double* numbers;  ///< NaN stands for null
  const std::int64_t* integers;
  const std::int32_t* codes;  ///< indices into levels
  const AntaeusParquetText* levels;
  std::size_t level_count;
};

/// Hands over the next rows of the table that is written, with the same columns each time; *rows is 0 where none are
/// left, though the columns are there the first time. \return 0, else the writing is given up
using AntaeusParquetGiveRows = int (*)(void* receiver, const AntaeusParquetColumn** columns, std::size_t* rows);
/// Receives the file's bytes.
using AntaeusParquetTakeBytes = void (*)(void* receiver, AntaeusParquetText bytes);
/// Receives one column of the file.
using AntaeusParquetTakeColumn = void (*)(void* receiver, const AntaeusParquetColumn* column, std::size_t rows);
/// Receives the reason of a failure, one line.
using AntaeusParquetTakeProblem = void (*)(void* receiver, AntaeusParquetText problem);

/// Both return 0 on success, else 1 after they have told the problem.
using AntaeusParquetWrite = int(std::size_t column_count, AntaeusParquetGiveRows give_rows,
                                AntaeusParquetTakeBytes take_bytes, AntaeusParquetTakeProblem take_problem,
                                void* receiver);
using AntaeusParquetRead = int(AntaeusParquetText bytes, AntaeusParquetTakeColumn take_column,
                               AntaeusParquetTakeProblem take_problem, void* receiver);

/// Names carry the version of this border: a plugin of another version is not found rather than misread.
AntaeusParquetWrite antaeus_parquet_write_2;
AntaeusParquetRead antaeus_parquet_read_1;

}  // extern "C"
