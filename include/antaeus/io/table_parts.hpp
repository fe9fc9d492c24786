#pragma once
/// \file
/// Files of tables that never are in memory as a whole: their rows come part after part.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/io/files.hpp"
#include "antaeus/io/table.hpp"

namespace antaeus {

/// Hands over the next rows of a table, with the same columns each time; nothing once all were handed over.
using TableParts = std::function<std::optional<Table>()>;

/// Adds the rows of a part of the same columns, which are those of the first where there are none.
ANTAEUS_API void join_rows(std::vector<Column>& columns, const Table& part);
/// CSV text of the rows of one part, and of the header before the first.
ANTAEUS_API std::string csv_rows(const Table& part, bool with_header);
/// CSV text of all parts, as to_csv() of a table that holds all rows. \throws Error where a part has other columns than
/// the first, and what \p next and \p take throw
ANTAEUS_API void write_csv(const TableParts& next, const ByteSink& take);
/// Parquet bytes of all parts, a row group or more each. \throws as write_csv(), and as to_parquet() of a whole table
ANTAEUS_API void write_parquet(const TableParts& next, const ByteSink& take);

}  // namespace antaeus
