#define ZLIB_CONST
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "antaeus/core/error.hpp"
#include "antaeus/io/files.hpp"
#include "antaeus/io/numpy.hpp"
#include "io/bytes.hpp"
#include "io/text.hpp"

// The zip format after PKWARE's APPNOTE 6.3: section 4.3.7 local header, 4.3.12 directory, 4.3.16 its end.

namespace antaeus {

namespace {

constexpr std::uint32_t kLocalSignature = 0x04034b50;
constexpr std::uint32_t kEntrySignature = 0x02014b50;
constexpr std::uint32_t kEndSignature = 0x06054b50;
constexpr std::size_t kLocalSize = 30;
constexpr std::size_t kEntrySize = 46;
constexpr std::size_t kEndSize = 22;
constexpr std::uint32_t kElsewhere = 0xFFFFFFFF;  ///< the true number is in the zip64 extra field
constexpr std::uint16_t kZip64Extra = 1;
constexpr unsigned kEncrypted = 1;
constexpr unsigned kSizesFollow = 8;
constexpr unsigned kUtf8Name = 0x800;
constexpr std::uint16_t kStored = 0;
constexpr std::uint16_t kDeflated = 8;
constexpr std::string_view kSuffix = ".npy";
/// Cap on what all deflated members of a file inflate to; stored ones are bounded by the file itself.
constexpr std::uint64_t kMostInflated = std::uint64_t{512} << 20;
/// Deflate cannot do better than 258 bytes for two bits (zlib, "Maximum Compression Factor").
constexpr std::uint64_t kBestRatio = 1032;

/// A member as the directory describes it.
struct Member {
  std::string name;
  unsigned flags = 0;
  std::uint16_t method = 0;
  std::uint32_t crc = 0;
  std::uint32_t packed_size = 0;
  std::uint32_t size = 0;
  std::size_t offset = 0;   ///< of the local header
  std::string_view packed;  ///< the data
};

class ZipReader {
 public:
  ZipReader(std::string_view bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  /// The members in the order of the directory; every extent and name is checked, no data are read.
  std::vector<Member> members() {
    const std::size_t end = find_end();
    const auto here = field<std::uint16_t>(end + 8);
    const auto count = field<std::uint16_t>(end + 10);
    const auto directory_size = field<std::uint32_t>(end + 12);
    const auto directory = field<std::uint32_t>(end + 16);
    if (count == 0xFFFF || directory_size == kElsewhere || directory == kElsewhere) {
      fail("it has a zip64 directory, which is not supported", "save fewer or smaller arrays a file");
    }
    if (field<std::uint16_t>(end + 4) != 0 || field<std::uint16_t>(end + 6) != 0 || here != count) {
      fail("it is one part of a split archive", "join the parts");
    }
    if (std::size_t{directory} + directory_size != end) fail("the directory is not where its end says", kCopyAgain);

    std::vector<Member> members;
    std::size_t at = directory;
    for (unsigned i = 0; i < count; ++i) at = read_entry(at, end, members.emplace_back());
    if (at != end) fail("the directory holds more than it declares", kCopyAgain);
    for (Member& member : members) locate(member, directory);
    refuse_overlaps(members);
    refuse_bombs(members);
    return members;
  }

  std::string unpack(const Member& member) const {
    std::string data = member.method == kStored ? std::string(member.packed) : inflate_all(member);
    const uLong crc = crc32_z(0, reinterpret_cast<const Bytef*>(data.data()), data.size());
    if (crc != member.crc) fail_member(member, "the checksum does not fit the data");
    return data;
  }

 private:
  static constexpr const char* kCopyAgain = "copy it again, it is damaged";

  [[noreturn]] void fail(const std::string& problem, const char* remedy) const { throw Error(name_, problem, remedy); }
  [[noreturn]] void fail_member(const Member& member, const std::string& problem) const {
    throw Error(name_ + " [" + excerpt(member.name) + "]", problem, kCopyAgain);
  }

  template <class Number>
  Number field(std::size_t at) const {
    return load<Number>(bytes_.data() + at);
  }

  std::size_t find_end() const {
    constexpr std::size_t kLongestComment = 0xFFFF;
    if (bytes_.size() >= kEndSize) {
      const std::size_t last = bytes_.size() - kEndSize;
      const std::size_t first = last - std::min(last, kLongestComment);
      for (std::size_t at = last + 1; at-- > first;) {
        if (field<std::uint32_t>(at) == kEndSignature &&
            at + kEndSize + field<std::uint16_t>(at + 20) == bytes_.size()) {
          return at;
        }
      }
    }
    fail("it is no .npz file, or its end is missing", "save it again with numpy.savez, or copy it again");
  }

  std::size_t read_entry(std::size_t at, std::size_t end, Member& member) const {
    if (end - at < kEntrySize || field<std::uint32_t>(at) != kEntrySignature) {
      fail("the directory ends too early", kCopyAgain);
    }
    member.flags = field<std::uint16_t>(at + 8);
    member.method = field<std::uint16_t>(at + 10);
    member.crc = field<std::uint32_t>(at + 16);
    member.packed_size = field<std::uint32_t>(at + 20);
    member.size = field<std::uint32_t>(at + 24);
    member.offset = field<std::uint32_t>(at + 42);
    const std::size_t name_size = field<std::uint16_t>(at + 28);
    const std::size_t rest = name_size + field<std::uint16_t>(at + 30) + field<std::uint16_t>(at + 32);
    if (end - at - kEntrySize < rest) fail("the directory ends too early", kCopyAgain);
    member.name = std::string(bytes_.substr(at + kEntrySize, name_size));
    if (member.packed_size == kElsewhere || member.size == kElsewhere || member.offset == kElsewhere) {
      fail_member(member, "it is a zip64 member of 4 GiB or more, which is not supported");
    }
    return at + kEntrySize + rest;
  }

  /// Finds the data through the local header, which must agree with the directory.
  void locate(Member& member, std::size_t directory) const {
    if (member.flags & kEncrypted) fail_member(member, "it is encrypted");
    if (member.method != kStored && member.method != kDeflated) {
      fail_member(member, "the compression method " + std::to_string(member.method) + " is not supported");
    }
    if (!member.name.ends_with(kSuffix)) fail_member(member, "it is no .npy member");
    const std::size_t at = member.offset;
    if (at > directory || directory - at < kLocalSize || field<std::uint32_t>(at) != kLocalSignature) {
      fail_member(member, "it is not where the directory says");
    }
    const std::size_t name_size = field<std::uint16_t>(at + 26);
    const std::size_t extra_size = field<std::uint16_t>(at + 28);
    const std::size_t room = directory - at - kLocalSize;
    if (room < name_size + extra_size || room - name_size - extra_size < member.packed_size) {
      fail_member(member, "its data reach into the directory");
    }
    if (bytes_.substr(at + kLocalSize, name_size) != member.name || field<std::uint16_t>(at + 8) != member.method ||
        ((field<std::uint16_t>(at + 6) ^ member.flags) & (kEncrypted | kSizesFollow)) != 0) {
      fail_member(member, "its local header contradicts the directory");
    }
    if ((member.flags & kSizesFollow) == 0) {
      check_local_sizes(member, bytes_.substr(at + kLocalSize + name_size, extra_size));
    }
    member.packed = bytes_.substr(at + kLocalSize + name_size + extra_size, member.packed_size);
    if (member.method == kStored && member.size != member.packed_size) {
      fail_member(member, "it is stored, but its two sizes differ");
    }
  }

  /// NumPy writes every local header with its sizes in the zip64 extra field.
  void check_local_sizes(const Member& member, std::string_view extra) const {
    std::uint64_t packed_size = field<std::uint32_t>(member.offset + 18);
    std::uint64_t size = field<std::uint32_t>(member.offset + 22);
    if (packed_size == kElsewhere && size == kElsewhere) {
      while (extra.size() >= 4) {
        const char* const at = extra.data();
        const std::size_t length = load<std::uint16_t>(at + 2);
        if (length > extra.size() - 4) break;
        if (load<std::uint16_t>(at) == kZip64Extra && length >= 16) {
          size = load<std::uint64_t>(at + 4);
          packed_size = load<std::uint64_t>(at + 12);
          break;
        }
        extra.remove_prefix(4 + length);
      }
    }
    if (packed_size != member.packed_size || size != member.size ||
        field<std::uint32_t>(member.offset + 14) != member.crc) {
      fail_member(member, "its local header contradicts the directory");
    }
  }

  /// Members that share data are how a small file pretends to be a large one.
  void refuse_overlaps(const std::vector<Member>& members) const {
    std::vector<const Member*> sorted;
    for (const Member& member : members) sorted.push_back(&member);
    std::sort(sorted.begin(), sorted.end(), [](const Member* a, const Member* b) { return a->offset < b->offset; });
    for (std::size_t i = 1; i < sorted.size(); ++i) {
      const Member& before = *sorted[i - 1];
      if (before.packed.data() + before.packed.size() > bytes_.data() + sorted[i]->offset) {
        fail_member(*sorted[i], "it overlaps '" + excerpt(before.name) + "'");
      }
    }
  }

  void refuse_bombs(const std::vector<Member>& members) const {
    std::uint64_t inflated = 0;
    for (const Member& member : members) {
      if (member.method != kDeflated) continue;
      if (member.size > kBestRatio * member.packed_size) fail_member(member, "it declares more than deflate can pack");
      inflated += member.size;
      if (inflated > kMostInflated) fail("its members inflate to more than 512 MiB", "save it without compression");
    }
  }

  std::string inflate_all(const Member& member) const {
    // One byte of room beyond the declared size shows a stream that holds more.
    std::string data(std::size_t{member.size} + 1, '\0');
    z_stream stream{};
    constexpr int kRawDeflate = -15;
    if (inflateInit2(&stream, kRawDeflate) != Z_OK) fail_member(member, "zlib cannot start");
    stream.next_in = reinterpret_cast<const Bytef*>(member.packed.data());
    stream.avail_in = member.packed_size;
    stream.next_out = reinterpret_cast<Bytef*>(data.data());
    stream.avail_out = static_cast<uInt>(data.size());
    const int outcome = inflate(&stream, Z_FINISH);
    const bool is_whole = outcome == Z_STREAM_END && stream.avail_in == 0 && stream.avail_out == 1;
    inflateEnd(&stream);
    if (!is_whole) fail_member(member, "the compressed data are damaged or of another size than declared");
    data.pop_back();
    return data;
  }

  std::string_view bytes_;
  const std::string& name_;
};

/// Local header and directory entry share these fields, from "version needed" to "extra field length".
std::string common_fields(const std::string& member, const std::string& data) {
  constexpr std::uint16_t kVersionNeeded = 20;
  constexpr std::uint16_t kMidnight = 0;
  constexpr std::uint16_t kFirstDay = 0x0021;  // 1980-01-01: what is written does not depend on the clock
  const bool is_ascii =
      std::all_of(member.begin(), member.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  std::string out;
  append(out, kVersionNeeded);
  append(out, static_cast<std::uint16_t>(is_ascii ? 0 : kUtf8Name));
  append(out, kStored);
  append(out, kMidnight);
  append(out, kFirstDay);
  append(out, static_cast<std::uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(data.data()), data.size())));
  append(out, static_cast<std::uint32_t>(data.size()));
  append(out, static_cast<std::uint32_t>(data.size()));
  append(out, static_cast<std::uint16_t>(member.size()));
  append(out, std::uint16_t{0});
  return out;
}

}  // namespace

std::map<std::string, NumpyArray> parse_npz(std::string_view bytes, const std::string& name,
                                            std::vector<std::string>* left_out) {
  ZipReader reader(bytes, name);
  std::map<std::string, NumpyArray> arrays;
  for (const Member& member : reader.members()) {
    const std::string key = member.name.substr(0, member.name.size() - kSuffix.size());
    const std::string place = name + " [" + excerpt(key) + "]";
    if (arrays.contains(key)) throw Error(place, "the member appears twice", "save it again with numpy.savez");
    try {
      arrays.emplace(key, parse_npy(reader.unpack(member), place));
    } catch (const Error& error) {
      if (!left_out) throw;
      left_out->emplace_back(error.what());
    }
  }
  return arrays;
}

std::map<std::string, NumpyArray> read_npz(const std::filesystem::path& file, std::vector<std::string>* left_out) {
  return parse_npz(read_file(file), file.string(), left_out);
}

std::string to_npz(const std::map<std::string, NumpyArray>& arrays) {
  constexpr std::size_t kMostMembers = 0xFFFE;
  constexpr std::size_t kLongestName = 0xFFFF;
  constexpr std::size_t kMostBytes = kElsewhere - 1;
  constexpr const char* kRemedy = "write several files";
  if (arrays.size() > kMostMembers) throw Error("npz", "it would have more than 65 534 members", kRemedy);
  std::string bytes;
  std::string directory;
  for (const auto& [key, array] : arrays) {
    const std::string member = key + std::string(kSuffix);
    const std::string data = to_npy(array.shape, array.values);
    if (member.size() > kLongestName || bytes.size() + data.size() + member.size() + kLocalSize > kMostBytes) {
      throw Error("npz [" + excerpt(key) + "]", "the name, or the file with this member, is too long for the format",
                  kRemedy);
    }
    const std::string common = common_fields(member, data);
    append(directory, kEntrySignature);
    append(directory, std::uint16_t{20});  // made by: MS-DOS, format 2.0
    directory += common;
    directory.append(10, '\0');  // no comment, disk 0, no attributes
    append(directory, static_cast<std::uint32_t>(bytes.size()));
    directory += member;
    append(bytes, kLocalSignature);
    bytes += common;
    bytes += member;
    bytes += data;
  }
  const std::size_t start = bytes.size();
  if (directory.size() > kMostBytes - start) throw Error("npz", "the file would be longer than 4 GiB", kRemedy);
  bytes += directory;
  append(bytes, kEndSignature);
  append(bytes, std::uint32_t{0});  // disk 0, directory on disk 0
  append(bytes, static_cast<std::uint16_t>(arrays.size()));
  append(bytes, static_cast<std::uint16_t>(arrays.size()));
  append(bytes, static_cast<std::uint32_t>(directory.size()));
  append(bytes, static_cast<std::uint32_t>(start));
  append(bytes, std::uint16_t{0});
  return bytes;
}

}  // namespace antaeus
