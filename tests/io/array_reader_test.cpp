#include "antaeus/io/array_reader.hpp"

#include <gtest/gtest.h>

#include "antaeus/io/files.hpp"
#include "io_support.hpp"

namespace antaeus {
namespace {

std::vector<double> numbers(std::size_t count) {
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = 0.5 * static_cast<double>(i) - 3.0;
  return values;
}

/// All rows in blocks of \p rows.
std::vector<double> in_blocks(ArrayReader& array, std::size_t rows) {
  std::vector<double> all(array.rows() * array.columns());
  for (std::size_t first = 0; first < array.rows(); first += rows) {
    array.read(first, std::min(rows, array.rows() - first), all.data() + first * array.columns());
  }
  return all;
}

TEST(ArrayReader, BlocksOfAFileAreItsRows) {
  const test::TemporaryFolder folder;
  const std::vector<double> values = numbers(1000 * 7);
  write_file(folder.path() / "a.npy", to_npy({1000, 7}, values));
  ArrayReader array(folder.path() / "a.npy");
  EXPECT_EQ(array.shape(), (std::vector<std::size_t>{1000, 7}));
  EXPECT_EQ(array.stored_type(), "float64");
  for (const std::size_t rows : {1, 3, 64, 999, 1000}) EXPECT_EQ(in_blocks(array, rows), values) << rows;
  std::vector<double> row(7);
  array.read(999, 1, row.data());
  array.read(0, 1, row.data());  // back
  EXPECT_EQ(row, std::vector<double>(values.begin(), values.begin() + 7));
  EXPECT_EQ(array.all().values, values);
  EXPECT_ERROR(array.read(999, 2, row.data()), "no rows there");
}

TEST(ArrayReader, MembersAreReadWhenAskedForInAnyOrder) {
  const test::TemporaryFolder folder;
  const std::vector<double> a = numbers(4000 * 3), b = numbers(500);
  write_file(folder.path() / "log.npz", to_npz({{"a", {{4000, 3}, a, "float64"}}, {"b", {{500}, b, "float64"}}}));
  const NpzReader log(folder.path() / "log.npz");
  EXPECT_EQ(log.names(), (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(log.contains("b"));
  EXPECT_FALSE(log.contains("c"));
  ArrayReader first = log.array("a"), second = log.array("b");
  EXPECT_EQ(in_blocks(second, 7), b);
  EXPECT_EQ(in_blocks(first, 1023), a);
  EXPECT_ERROR(log.array("c"), "no such member");
}

TEST(ArrayReader, AChecksumIsComparedOnceAllBytesWereRead) {
  const test::TemporaryFolder folder;
  std::string bytes = to_npz({{"a", {{100, 2}, numbers(200), "float64"}}});
  bytes[bytes.find("NUMPY") + 400] ^= 1;  // in the data
  write_file(folder.path() / "log.npz", bytes);
  ArrayReader array = NpzReader(folder.path() / "log.npz").array("a");
  std::vector<double> rows(200);
  array.read(0, 50, rows.data());
  EXPECT_ERROR(array.read(50, 50, rows.data()), "the checksum does not fit");
  ArrayReader again = NpzReader(folder.path() / "log.npz").array("a");
  again.read(60, 40, rows.data());  // out of turn: nothing can be compared yet
  EXPECT_ERROR(in_blocks(again, 30), "the checksum does not fit");
}

TEST(ArrayReader, AFileThatBecomesShorterIsAnError) {
  const test::TemporaryFolder folder;
  const auto file = folder.path() / "a.npy";
  write_file(file, to_npy({100'000, 2}, numbers(200'000)));
  ArrayReader array(file);
  std::filesystem::resize_file(file, 1000);
  std::vector<double> rows(200'000);
  EXPECT_ERROR(array.read(0, 100'000, rows.data()), "it became shorter while it was read");
}

TEST(Sha256, OfPartsAndOfANpyThatIsNeverMade) {
  const std::vector<double> values = numbers(30'000);
  const std::string npy = to_npy({10'000, 3}, values);
  EXPECT_EQ(sha256_of_npy({10'000, 3}, values.data()), sha256(npy));
  for (const std::size_t size : {1, 63, 64, 65, 1000}) {
    Sha256 hash;
    for (std::size_t at = 0; at < npy.size(); at += size) hash.add(std::string_view(npy).substr(at, size));
    EXPECT_EQ(hash.digits(), sha256(npy)) << size;
  }
}

TEST(FileStream, OfASetIsThereWithTheOthersOrNotAtAll) {
  const test::TemporaryFolder folder;
  const auto out = folder.path() / "out";
  {
    FileSet files(out);
    FileStream stream = files.stream("long.txt");
    for (int i = 0; i < 1000; ++i) stream.write("line\n");
    EXPECT_FALSE(std::filesystem::exists(out));
    EXPECT_GT(folder.entries(), 0U) << "hidden, beside the place";
  }
  EXPECT_EQ(folder.entries(), 0U) << "nobody committed it";
  for (int round = 0; round < 2; ++round) {  // into a new folder, then over the earlier results
    FileSet files(out, Existing::any);
    FileStream stream = files.stream("long.txt");
    files.add("short.txt", "short");
    stream.write("a");
    stream.write("b");
    files.commit();
    EXPECT_EQ(read_file(out / "long.txt"), "ab");
    EXPECT_EQ(read_file(out / "short.txt"), "short");
    EXPECT_EQ(folder.entries(), 3U);
    EXPECT_ERROR(stream.write("c"), "it is written already");
  }
  EXPECT_ERROR(write_file(out / "long.txt", [](const ByteSink&) { throw Error("it", "broke", ""); }), "it: broke");
  EXPECT_EQ(read_file(out / "long.txt"), "ab");
}

}  // namespace
}  // namespace antaeus
