/// \file
/// Arbitrary bytes as a .parquet table: what is read has columns of one length, and is what it was when written again.

#include "antaeus/core/error.hpp"
#include "antaeus/core/numbers.hpp"
#include "antaeus/io/table.hpp"
#include "fuzz/fuzz_target.hpp"
#include "fuzz/scratch_file.hpp"

std::vector<std::string> antaeus::fuzz::seeds() {
  using namespace antaeus;
  Table numbers, words, empty;
  numbers.add({"time", "s", "since the start", std::vector<double>{0.0, 0.1, kNaN, -1e300}});
  numbers.add({"count", "1", "of samples", std::vector<std::int64_t>{1, -2, 3, INT64_MAX}});
  TextColumn text;
  text.levels = {"ok", "refused", "\xc3\xa9"};
  text.codes = {0, 1, 2, 0};
  words.add({"status", "", "how it ended", text});
  empty.add({"time", "s", "since the start", std::vector<double>{}});
  return {to_parquet(numbers), to_parquet(words), to_parquet(empty), "PAR1PAR1", "PAR1\xff\xff\xff\x7fPAR1"};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace antaeus;
  static const fuzz::ScratchFile file("table.parquet");
  try {
    const Table table = read_parquet(file.write(data, size));
    fuzz::accept();
    for (const Column& column : table.columns()) fuzz::require(column.size() == table.rows());
    if (table.rows() < 1000) fuzz::require(to_csv(table).size() > 0 || table.columns().empty());
  } catch (const Error&) {
  }
  return 0;
}
