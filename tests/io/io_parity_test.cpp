#include <gtest/gtest.h>

#include <cstdlib>

#include "antaeus/core/numbers.hpp"
#include "antaeus/io/files.hpp"
#include "antaeus/io/json.hpp"
#include "antaeus/io/numpy.hpp"
#include "antaeus/io/table.hpp"
#include "io_support.hpp"

namespace antaeus {

// io_parity_test.py runs this test with ANTAEUS_IO_PARITY set, and reads the files with NumPy, pyarrow and Python.
TEST(IoParity, WritesFilesForOtherReaders) {
  const test::TemporaryFolder temporary;
  const char* const named = std::getenv("ANTAEUS_IO_PARITY");
  const std::filesystem::path folder = named ? std::filesystem::path(named) : temporary.path();

  Table table;
  table.add({"step", "1", "index in the log", std::vector<std::int64_t>{0, 9007199254740993}});
  table.add({"Fz", "N", "force along z", std::vector<double>{0.1, kNaN}});
  TextColumn text;
  text.push_back("a \"quoted\", cell");
  text.push_back("é\nline");
  table.add({"verdict", "", "trust", text});

  FileSet files(folder);
  files.add("table.csv", to_csv(table));
  files.add("table.parquet", to_parquet(table));
  files.add("array.npy", to_npy({2, 3}, {0.1, -0.0, kNaN, 1e308, 5e-324, 6}));
  files.add("scalar.npy", to_npy({}, {7}));
  files.add("arrays.npz", to_npz({{"q", {{2, 1}, {1, 2}, ""}}, {"ü", {{0}, {}, ""}}}));
  files.add("value.json", Json::object().set("x", 0.1).set("nan", kNaN).set("text", "é\"\\\n\x01\xFF").dump());
  files.commit();
  EXPECT_EQ(read_npy(folder / "array.npy").values[3], 1e308);
  EXPECT_EQ(to_csv(read_parquet(folder / "table.parquet")), to_csv(table));
}

}  // namespace antaeus
