#include <gtest/gtest.h>

#include "antaeus/io/numpy.hpp"
#include "hex.hpp"
#include "io_support.hpp"
#include "npz_samples.hpp"

namespace antaeus {

namespace {

using test::from_hex;
using test::kSavez;
using test::kSavezCompressed;
using Values = std::vector<double>;

std::map<std::string, NumpyArray> npz_of(const std::string& bytes) { return parse_npz(bytes, "t.npz"); }

std::string two_arrays() { return to_npz({{"a", {{2}, {1, 2}, ""}}, {"b", {{1, 1}, {3}, ""}}}); }

/// The bytes with a little-endian number put at this place.
std::string with(std::string bytes, std::size_t at, std::uint64_t value, std::size_t width) {
  for (std::size_t i = 0; i < width; ++i) bytes.at(at + i) = static_cast<char>(value >> (8 * i));
  return bytes;
}

/// Places of the first and the last header of a kind.
std::size_t first_local(const std::string& bytes) { return bytes.find("PK\x03\x04"); }
std::size_t first_entry(const std::string& bytes) { return bytes.find("PK\x01\x02"); }
std::size_t last_entry(const std::string& bytes) { return bytes.rfind("PK\x01\x02"); }
std::size_t end_record(const std::string& bytes) { return bytes.rfind("PK\x05\x06"); }

}  // namespace

TEST(Npz, ReadsWhatNumpyWrote) {
  const auto stored = npz_of(from_hex(kSavez));
  ASSERT_EQ(stored.size(), 2U);
  EXPECT_EQ(stored.at("q").values, (Values{1, 2}));
  EXPECT_EQ(stored.at("n").values, (Values{7, 8}));
  EXPECT_EQ(stored.at("n").stored_type, "int16");
  const auto deflated = npz_of(from_hex(kSavezCompressed));
  EXPECT_EQ(deflated.at("q").shape, (std::vector<std::size_t>{4, 2}));
  EXPECT_EQ(deflated.at("q").values, Values(8, 0.0));
  EXPECT_EQ(deflated.at("t").values, (Values{0.5}));
}

TEST(Npz, WhatIsWrittenReadsBackAndIsReproducible) {
  const auto arrays = npz_of(two_arrays());
  EXPECT_EQ(arrays.at("a").values, (Values{1, 2}));
  EXPECT_EQ(arrays.at("b").shape, (std::vector<std::size_t>{1, 1}));
  EXPECT_EQ(to_npz(arrays), two_arrays());
  EXPECT_TRUE(npz_of(to_npz({})).empty());
  EXPECT_EQ(npz_of(to_npz({{"grüße", {{1}, {4}, ""}}})).at("grüße").values, (Values{4}));
}

TEST(Npz, DamagedMembersAreLeftOutWhereTheCallerAsks) {
  std::string bytes = two_arrays();
  bytes.at(bytes.find("PK\x03\x04", 1) - 1) ^= 1;  // the last byte of a: its checksum is wrong
  EXPECT_THROW(npz_of(bytes), Error);
  std::vector<std::string> left_out;
  const auto arrays = parse_npz(bytes, "t.npz", &left_out);
  ASSERT_EQ(arrays.size(), 1U);
  EXPECT_EQ(arrays.at("b").values, (Values{3}));
  ASSERT_EQ(left_out.size(), 1U);
  EXPECT_TRUE(left_out[0].starts_with("t.npz [a.npy]: the checksum")) << left_out[0];
}

TEST(Npz, EveryTruncationIsRefused) {
  for (const std::string& whole : {two_arrays(), from_hex(kSavezCompressed)}) {
    for (std::size_t size = 0; size < whole.size(); ++size) EXPECT_THROW(npz_of(whole.substr(0, size)), Error) << size;
  }
}

TEST(Npz, EveryFlippedDataByteIsFound) {
  const std::string whole = from_hex(kSavezCompressed);
  const std::size_t data = first_local(whole) + 30 + 5 + 20;
  for (std::size_t at = data; at < data + 60; ++at) {
    EXPECT_THROW(npz_of(with(whole, at, static_cast<unsigned char>(whole[at]) ^ 0x10U, 1)), Error) << at;
  }
  std::string stored = two_arrays();
  stored[first_local(stored) + 30 + 5 + 130] ^= 1;
  EXPECT_ERROR(npz_of(stored), "checksum");
}

TEST(Npz, HeadersThatLieAreRefused) {
  const std::string whole = two_arrays();
  const std::size_t entry = first_entry(whole);
  EXPECT_ERROR(npz_of(with(whole, entry + 8, 1, 2)), "encrypted");
  EXPECT_ERROR(npz_of(with(whole, entry + 10, 12, 2)), "compression method 12");
  EXPECT_ERROR(npz_of(with(whole, entry + 10, 8, 2)), "contradicts");
  EXPECT_ERROR(npz_of(with(whole, entry + 24, 1 << 30, 4)), "contradicts");
  EXPECT_ERROR(npz_of(with(whole, entry + 20, 0x7fffffff, 4)), "reach into the directory");
  EXPECT_ERROR(npz_of(with(whole, entry + 24, 0xffffffff, 4)), "a number of more than 32 bits is missing");
  EXPECT_ERROR(npz_of(with(whole, entry + 42, 7, 4)), "not where the directory states");
  EXPECT_ERROR(npz_of(with(whole, entry + 42, 0xfffffff0, 4)), "not where the directory states");
  EXPECT_ERROR(npz_of(with(whole, first_local(whole) + 30, 'z', 1)), "contradicts");
  EXPECT_ERROR(npz_of(with(whole, entry + 46 + 2, 'x', 1)), "no .npy member");
  const std::size_t end = end_record(whole);
  EXPECT_ERROR(npz_of(with(whole, end + 10, 0xffff, 2)), "split");
  EXPECT_ERROR(npz_of(with(with(whole, end + 8, 1, 2), end + 10, 1, 2)), "more than it declares");
  EXPECT_ERROR(npz_of(with(with(whole, end + 8, 3, 2), end + 10, 3, 2)), "ends too early");
  EXPECT_ERROR(npz_of(with(whole, end + 4, 1, 2)), "split");
  EXPECT_ERROR(npz_of(with(whole, end + 16, 0, 4)), "directory is not where");
  EXPECT_ERROR(npz_of(to_npy({1}, {1})), "no .npz file");
}

TEST(Npz, MembersThatShareBytesOrNamesAreRefused) {
  std::string twins = two_arrays();
  const std::size_t name = last_entry(twins) + 46;
  const std::size_t offset = last_entry(twins) + 42;
  // Both entries point to the first member.
  std::string overlapping = twins;
  for (std::size_t i = 16; i < 30; ++i) overlapping[last_entry(twins) + i] = twins[first_entry(twins) + i];
  overlapping = with(with(overlapping, offset, 0, 4), name, 'a', 1);
  EXPECT_ERROR(npz_of(overlapping), "overlaps");
  // Two whole members of one name.
  const std::size_t second = twins.rfind("PK\x03\x04");
  EXPECT_ERROR(npz_of(with(with(twins, name, 'a', 1), second + 30, 'a', 1)), "twice");
}

TEST(Npz, BombsAreRefusedBeforeTheyInflate) {
  std::string whole = from_hex(kSavezCompressed);
  // NumPy keeps the sizes in the zip64 field of the local header, after its tag and length.
  const std::size_t local = first_local(whole) + 30 + 5 + 4;
  EXPECT_ERROR(npz_of(with(with(whole, first_entry(whole) + 24, 0x70000000, 4), local, 0x70000000, 8)),
               "more than deflate can pack");
  EXPECT_ERROR(npz_of(with(with(whole, first_entry(whole) + 24, 191, 4), local, 191, 8)), "ends within its data");
  EXPECT_ERROR(npz_of(with(with(whole, first_entry(whole) + 24, 193, 4), local, 193, 8)), "1 bytes follow the array");
}

}  // namespace antaeus
