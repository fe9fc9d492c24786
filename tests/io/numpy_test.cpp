#include "antaeus/io/numpy.hpp"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>
#include <cstring>

#include "antaeus/core/numbers.hpp"
#include "hex.hpp"
#include "io_support.hpp"

namespace antaeus {

namespace {

using test::from_hex;
using Shape = std::vector<std::size_t>;
using Values = std::vector<double>;

// Written by numpy.lib.format.write_array of NumPy 2.4.
constexpr std::string_view kFortranFloat64 =
    "934e554d5059010076007b276465736372273a20273c6638272c2027666f727472616e5f6f72646572273a20547275652c2027736861"
    "7065273a2028322c2033292c207d20202020202020202020202020202020202020202020202020202020202020202020202020202020"
    "202020202020202020202020202020202020200a00000000000000000000000000000840000000000000f03f00000000000010400000"
    "0000000000400000000000001440";

constexpr std::string_view kBigEndianInt32 =
    "934e554d5059010076007b276465736372273a20273e6934272c2027666f727472616e5f6f72646572273a2046616c73652c20277368"
    "617065273a2028332c292c207d2020202020202020202020202020202020202020202020202020202020202020202020202020202020"
    "202020202020202020202020202020202020200a00000001fffffffe0000012c";

constexpr std::string_view kBool =
    "934e554d5059010076007b276465736372273a20277c6231272c2027666f727472616e5f6f72646572273a2046616c73652c20277368"
    "617065273a2028322c292c207d2020202020202020202020202020202020202020202020202020202020202020202020202020202020"
    "202020202020202020202020202020202020200a0100";

constexpr std::string_view kFortranFloat32Cube =
    "934e554d5059010076007b276465736372273a20273c6634272c2027666f727472616e5f6f72646572273a20547275652c2027736861"
    "7065273a2028322c20322c2032292c207d20202020202020202020202020202020202020202020202020202020202020202020202020"
    "202020202020202020202020202020202020200a0000000000008040000000400000c0400000803f0000a040000040400000e040";

constexpr std::string_view kFormatTwo =
    "934e554d50590200740000007b276465736372273a20273c6638272c2027666f727472616e5f6f72646572273a2046616c73652c2027"
    "7368617065273a2028312c292c207d202020202020202020202020202020202020202020202020202020202020202020202020202020"
    "202020202020202020202020202020202020200a000000000000f83f";

constexpr std::string_view kScalarUint64 =
    "934e554d5059010076007b276465736372273a20273c7538272c2027666f727472616e5f6f72646572273a2046616c73652c20277368"
    "617065273a2028292c207d20202020202020202020202020202020202020202020202020202020202020202020202020202020202020"
    "202020202020202020202020202020202020200a0000000000000080";

/// A .npy file of format 1.0 with this dictionary and these data.
std::string npy(const std::string& dictionary, const std::string& data) {
  std::string bytes("\x93NUMPY\x01\0", 8);
  bytes += static_cast<char>(dictionary.size() & 0xFF);
  bytes += static_cast<char>(dictionary.size() >> 8);
  return bytes + dictionary + data;
}

/// The same with a shape and float64 elements.
std::string shaped(const std::string& shape, const std::string& data = "") {
  return npy("{'descr': '<f8', 'fortran_order': False, 'shape': " + shape + ", }", data);
}

std::string typed(const std::string& type) {
  return npy("{'descr': " + type + ", 'fortran_order': False, 'shape': (1,), }", std::string(16, '\0'));
}

NumpyArray npy_of(const std::string& bytes) { return parse_npy(bytes, "t.npy"); }

}  // namespace

TEST(Numpy, ReadsWhatNumpyWrote) {
  const NumpyArray fortran = npy_of(from_hex(kFortranFloat64));
  EXPECT_EQ(fortran.shape, (Shape{2, 3}));
  EXPECT_EQ(fortran.values, (Values{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(fortran.stored_type, "float64");
  EXPECT_EQ(fortran.rows(), 2U);
  EXPECT_EQ(fortran.columns(), 3U);

  const NumpyArray cube = npy_of(from_hex(kFortranFloat32Cube));
  EXPECT_EQ(cube.values, (Values{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(cube.columns(), 4U);

  const NumpyArray big_endian = npy_of(from_hex(kBigEndianInt32));
  EXPECT_EQ(big_endian.values, (Values{1, -2, 300}));
  EXPECT_EQ(big_endian.stored_type, "int32");

  EXPECT_EQ(npy_of(from_hex(kBool)).values, (Values{1, 0}));
  EXPECT_EQ(npy_of(from_hex(kFormatTwo)).values, (Values{1.5}));

  const NumpyArray scalar = npy_of(from_hex(kScalarUint64));
  EXPECT_EQ(scalar.shape, Shape{});
  EXPECT_EQ(scalar.values, (Values{9223372036854775808.0}));
  EXPECT_EQ(scalar.rows() * scalar.columns(), 1U);
}

TEST(Numpy, EveryNumberTypeInBothByteOrders) {
  for (const char kind : {'i', 'u'}) {
    for (const std::size_t size : {1U, 2U, 4U, 8U}) {
      for (const char mark : {'<', '>'}) {
        std::string data(size, '\0');
        data[mark == '<' ? 0 : size - 1] = '\x07';
        const std::string head =
            std::string("{'descr':'") + mark + kind + std::to_string(size) + "','fortran_order':False,'shape':(1,)}";
        const NumpyArray array = npy_of(npy(head, data));
        EXPECT_EQ(array.values, (Values{7})) << mark << kind << size;
        const double all_ones = kind == 'i' ? -1.0 : std::exp2(8.0 * static_cast<double>(size)) - 1.0;
        EXPECT_EQ(npy_of(npy(head, std::string(size, '\xFF'))).values, (Values{all_ones})) << mark << kind << size;
        EXPECT_EQ(array.stored_type, (kind == 'i' ? "int" : "uint") + std::to_string(8 * size));
      }
    }
  }
  EXPECT_EQ(npy_of(npy("{'descr': '<i2', 'fortran_order': False, 'shape': (1L,)}", "\xFE\xFF")).values, (Values{-2}));
  EXPECT_EQ(
      npy_of(npy("{'descr': '>f4', 'fortran_order': False, 'shape': (1,)}", std::string("\x3F\xC0\0\0", 4))).values,
      (Values{1.5}));
}

TEST(Numpy, WhatIsWrittenReadsBack) {
  const Values values = {1.0, -0.0, kInfinity, 5e-324, 1e308, 0.1};
  for (const Shape& shape : {Shape{6}, Shape{2, 3}, Shape{1, 3, 2, 1}}) {
    const std::string bytes = to_npy(shape, values);
    EXPECT_EQ(npy_of(bytes).shape, shape);
    EXPECT_EQ(npy_of(bytes).values, values);
    EXPECT_EQ((bytes.size() - sizeof(double) * values.size()) % 64, 0U) << "data are aligned";
  }
  EXPECT_TRUE(std::isnan(npy_of(to_npy({1}, {std::nan("")})).values[0]));
  EXPECT_EQ(npy_of(to_npy({0, 5}, {})).shape, (Shape{0, 5}));
  const MatrixX matrix = (MatrixX(2, 3) << 1, 2, 3, 4, 5, 6).finished();
  EXPECT_EQ(npy_of(to_npy(matrix)).values, (Values{1, 2, 3, 4, 5, 6}));
  EXPECT_ERROR(to_npy({2, 2}, {1, 2, 3}), "shape");
}

TEST(Numpy, BytesAreNumpysOwn) {
  // numpy.save of the same array in C order differs from the Fortran file in that word and the order of the data only.
  const std::string ours = to_npy({1}, {1.5});
  const std::string theirs = from_hex(kFormatTwo);
  EXPECT_EQ(ours.substr(10, 50), theirs.substr(12, 50));
  EXPECT_EQ(ours.substr(ours.size() - 8), theirs.substr(theirs.size() - 8));
}

TEST(Numpy, TheShapeIsCheckedBeforeAnythingIsAllocated) {
  EXPECT_ERROR(npy_of(shaped("(1000000000000000,)", "12345678")), "declares more elements");
  EXPECT_ERROR(npy_of(shaped("(4294967296, 4294967296)")), "declares more elements");  // product 2^64 wraps to 0
  EXPECT_ERROR(npy_of(shaped("(2305843009213693953,)", "12345678")), "declares more elements");  // bytes wrap to 8
  EXPECT_ERROR(npy_of(shaped("(0, 4294967296, 4294967296)")), "declares more elements");         // columns() would wrap
  EXPECT_ERROR(npy_of(shaped("(18446744073709551616,)")), "beyond 64 bits");
  EXPECT_ERROR(npy_of(shaped("(-1,)")), "negative");
  EXPECT_ERROR(npy_of(shaped("(1,-8)")), "negative");
  std::string deep = "(";
  for (int i = 0; i < 65; ++i) deep += "1,";
  EXPECT_ERROR(npy_of(shaped(deep + ")", "12345678")), "64 dimensions");
}

TEST(Numpy, DataOfAnotherLengthAreRefused) {
  const std::string whole = to_npy({2, 2}, {1, 2, 3, 4});
  for (std::size_t size = 0; size < whole.size(); ++size) EXPECT_THROW(npy_of(whole.substr(0, size)), Error) << size;
  EXPECT_ERROR(npy_of(whole.substr(0, whole.size() - 1)), "truncated");
  EXPECT_ERROR(npy_of(whole + "x"), "1 bytes follow the array");
  EXPECT_ERROR(npy_of(whole.substr(0, 40)), "ends within its header");
}

TEST(Numpy, ForeignTypesAreRefusedByName) {
  EXPECT_ERROR(npy_of(typed("'|O'")), "Python objects");
  EXPECT_ERROR(npy_of(typed("'<c16'")), "complex");
  EXPECT_ERROR(npy_of(typed("'<U3'")), "text");
  EXPECT_ERROR(npy_of(typed("'<M8[ns]'")), "dates");
  EXPECT_ERROR(npy_of(typed("'|V16'")), "structured or raw");
  EXPECT_ERROR(npy_of(typed("[('a', '<f8'), ('b', '<f8')]")), "structured types");
  EXPECT_ERROR(npy_of(typed("'<f2'")), "'<f2' is not supported");
  EXPECT_ERROR(npy_of(typed("'|f8'")), "not supported");
  EXPECT_ERROR(npy_of(typed("''")), "not supported");
}

TEST(Numpy, BadHeadersAreRefused) {
  EXPECT_ERROR(npy_of("PK\x03\x04 something long enough"), "no .npy file");
  EXPECT_ERROR(npy_of(""), "no .npy file");
  std::string future = to_npy({1}, {1});
  future[6] = '\x04';
  EXPECT_ERROR(npy_of(future), "format 4.0 is unknown");
  const std::string data(8, '\0');
  for (const char* const dictionary :
       {"", "{", "{}", "{'descr': '<f8', 'fortran_order': False}", "{'descr': '<f8', 'shape': (1,)}",
        "{'descr': '<f8', 'fortran_order': Maybe, 'shape': (1,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': 1}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1 1)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1,)",
        "{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), 'more': 1}",
        "{'descr': '<f8' 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<f8, 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1,)} __import__('os')",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1.0,)}"}) {
    EXPECT_THROW(npy_of(npy(dictionary, data)), Error) << dictionary;
  }
  EXPECT_ERROR(read_npy("no/such.npy"), "no/such.npy");
}

}  // namespace antaeus
