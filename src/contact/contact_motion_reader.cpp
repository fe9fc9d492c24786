// A motion's file in blocks of frames.
#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "antaeus/contact/contact_motion.hpp"
#include "antaeus/core/error.hpp"
#include "antaeus/core/number_text.hpp"
#include "antaeus/io/array_reader.hpp"
#include "antaeus/io/table_reader.hpp"
#include "contact/motion_members.hpp"

namespace antaeus {

namespace fs = std::filesystem;

namespace {

constexpr Eigen::Index kFewFrames = 16384;                        ///< that are read at once
constexpr std::uintmax_t kShortTable = std::uintmax_t{64} << 20;  ///< as logs have it

/// Where a member of a motion lies in it.
struct MemberPlace {
  SampleMatrix ContactMotion::* matrix = nullptr;
  VectorX ContactMotion::* vector = nullptr;
};
MemberPlace place_of(const std::string& member) {
  using M = ContactMotion;
  static const std::map<std::string, MemberPlace> places = {{"q", {&M::q}},
                                                            {"v", {&M::v}},
                                                            {"a", {&M::a}},
                                                            {"v_next", {&M::v_next}},
                                                            {"guess", {&M::guess}},
                                                            {"previous", {&M::previous}},
                                                            {"magnitude", {&M::magnitude}},
                                                            {"active", {&M::active}},
                                                            {"external", {&M::external}},
                                                            {"root_euler", {&M::root_euler}},
                                                            {"time", {nullptr, &M::time}},
                                                            {"dt", {nullptr, &M::dt}},
                                                            {"damping", {nullptr, &M::damping}},
                                                            {"spring", {nullptr, &M::spring}},
                                                            {"rest", {nullptr, &M::rest}}};
  return places.at(member);
}

/// A member with a row a frame.
struct MemberRows {
  std::string name;
  Eigen::Index column = 0, columns = 1;  ///< of all members' columns beside each other
};

/// All members' rows beside each other.
using ReadRows = std::function<void(Eigen::Index first, Eigen::Index count, SampleMatrix& out)>;

/// Puts a member's rows into a motion. A vector of one state is a row.
void put(ContactMotion& motion, const std::string& member, const Eigen::Ref<const SampleMatrix>& rows) {
  const MemberPlace place = place_of(member);
  if (place.matrix) {
    motion.*place.matrix = rows;
  } else {
    motion.*place.vector = rows.reshaped<Eigen::RowMajor>();
  }
}

struct Opened {
  Eigen::Index frames = 0;
  std::vector<MemberRows> members;
  ReadRows read;
  ContactMotion throughout;  ///< what has no row a frame

  Eigen::Index columns() const { return members.empty() ? 0 : members.back().column + members.back().columns; }
  void add(const std::string& name, Eigen::Index count) { members.push_back({name, columns(), count}); }
};

/// Arrays of an .npz or of .npy files. \param open  nothing where there is none of this name
Opened open_arrays(const std::string& file, const std::function<std::optional<ArrayReader>(const std::string&)>& open) {
  Opened all;
  const auto arrays = std::make_shared<std::vector<ArrayReader>>();
  for (const std::string& member : detail::motion_members()) {
    std::optional<ArrayReader> array = open(member);
    if (!array && member == "q") array = open(detail::kLoggedPositions);
    if (!array) continue;
    const std::size_t size = array->rows() * array->columns();
    if (size == 0) throw EpisodeError(file + " [" + member + "]", "is empty", "leave it out, or fill it");
    if (member != "previous" && detail::is_matrix(member)) {
      const detail::Extents found = detail::matrix_extents(file, member, array->shape());
      if (member == "q") all.frames = found.rows;
      if (found.rows != all.frames) {
        throw EpisodeError(file + " [" + member + "]",
                           "is " + std::to_string(found.rows) + " × " + std::to_string(found.columns),
                           "give " + std::to_string(all.frames) + " rows, one a frame");
      }
      all.add(member, found.columns);
      arrays->push_back(std::move(*array));
      continue;
    }
    if (member != "previous") detail::check_vector(file, member, array->shape());
    if ((member == "time" || member == "dt") && static_cast<Eigen::Index>(size) == all.frames &&
        static_cast<Eigen::Index>(array->rows()) == all.frames) {
      all.add(member, 1);
      arrays->push_back(std::move(*array));
      continue;
    }
    const NumpyArray whole = array->all();
    detail::Extents shape{1, static_cast<Eigen::Index>(size)};
    if (member == "previous") shape = detail::matrix_extents(file, member, whole.shape);
    put(all.throughout, member, Eigen::Map<const SampleMatrix>(whole.values.data(), shape.rows, shape.columns));
  }
  all.read = [arrays, members = all.members](Eigen::Index first, Eigen::Index count, SampleMatrix& out) {
    SampleMatrix part;
    for (std::size_t m = 0; m < members.size(); ++m) {
      part.resize(count, members[m].columns);
      (*arrays)[m].read(static_cast<std::size_t>(first), static_cast<std::size_t>(count), part.data());
      out.middleCols(members[m].column, members[m].columns) = part;
    }
  };
  return all;
}

template <class Reader>
Opened open_table(const fs::path& path) {
  const std::string file = path.string();
  const auto table = std::make_shared<Reader>(path);
  Opened all;
  all.frames = static_cast<Eigen::Index>(table->rows());
  std::vector<std::size_t> columns;
  for (const auto& [stem, places] : detail::motion_columns(table->columns(), file)) {
    for (const std::size_t place : places) {
      if (table->is_text(place)) {
        throw EpisodeError(file + " [" + table->columns()[place] + "]", "holds text", "give numbers");
      }
    }
    const auto read = [&](Eigen::Index first, Eigen::Index count) {
      SampleMatrix rows(count, std::ssize(places));
      table->read(static_cast<std::size_t>(first), static_cast<std::size_t>(count), places, rows.data());
      return rows;
    };
    const std::string member = stem == detail::kLoggedPositions ? "q" : stem;
    bool same = detail::holds_throughout(member);
    const SampleMatrix one = read(0, 1);
    for (Eigen::Index row = 0; same && row < all.frames; row += kFewFrames) {
      const SampleMatrix part = read(row, std::min(kFewFrames, all.frames - row));
      same = (part.rowwise() - one.row(0)).isZero(0.0);
    }
    if (same) {
      put(all.throughout, member, one);
      continue;
    }
    if (member != "time" && member != "dt" && !detail::is_matrix(member)) {
      detail::check_vector(file, member, {table->rows(), places.size()});
    }
    all.add(member, std::ssize(places));
    columns.insert(columns.end(), places.begin(), places.end());
  }
  all.read = [table, columns](Eigen::Index first, Eigen::Index count, SampleMatrix& out) {
    table->read(static_cast<std::size_t>(first), static_cast<std::size_t>(count), columns, out.data());
  };
  return all;
}

std::optional<ArrayReader> npy_in(const fs::path& folder, const std::string& member) {
  const fs::path file = folder / (member + ".npy");
  return fs::exists(file) ? std::optional<ArrayReader>(std::in_place, file) : std::nullopt;
}

/// The file in rows; nothing where it is short, or no motion: load_contact_motion says so.
std::optional<Opened> open_long(const fs::path& path) {
  std::error_code unknown;
  if (path.extension() == ".csv" || path.extension() == ".parquet") {
    const std::uintmax_t size = fs::file_size(path, unknown);
    if (unknown || size <= kShortTable) return std::nullopt;
    return path.extension() == ".csv" ? open_table<CsvReader>(path) : open_table<ParquetReader>(path);
  }
  const bool folder = fs::is_directory(path, unknown);
  if (!folder && (path.extension() != ".npz" || !fs::is_regular_file(path, unknown))) return std::nullopt;
  std::optional<NpzReader> archive;
  const auto open = [&](const std::string& member) -> std::optional<ArrayReader> {
    if (folder) return npy_in(path, member);
    return archive->contains(member) ? std::optional<ArrayReader>(archive->array(member)) : std::nullopt;
  };
  try {
    if (!folder) archive.emplace(path);
    std::optional<ArrayReader> q = open("q");
    if (!q) q = open(detail::kLoggedPositions);
    if (!q || static_cast<Eigen::Index>(q->rows()) <= kFewFrames) return std::nullopt;
  } catch (const Error&) {
    return std::nullopt;
  }
  return open_arrays(path.string(), open);
}

}  // namespace

struct ContactMotionReader::Impl {
  explicit Impl(ContactMotion motion) : whole(std::move(motion)) {
    about = part(0, std::min<Eigen::Index>(1, whole->frames()));
    if (whole->time.size() > 0) begin = whole->time[0], end = whole->time[whole->time.size() - 1];
  }
  Impl(Opened file, const fs::path& path) : opened(std::move(file)) {
    opened.throughout.file = path.string();
    opened.throughout.name = printable((path.has_stem() ? path.stem() : path.parent_path().filename()).string());
    about = part(0, 1);
    if (about.time.size() > 0) begin = about.time[0], end = rows("time", opened.frames - 1, 1)(0, 0);
  }

  Eigen::Index frames() const { return whole ? whole->frames() : opened.frames; }

  /// Of a motion in memory: whatever has a row a frame.
  ContactMotion part(Eigen::Index first, Eigen::Index count) {
    const Eigen::Index N = frames();
    if (!whole) {
      read(first, count);
      ContactMotion block = opened.throughout;
      for (const MemberRows& member : opened.members) {
        put(block, member.name, held.block(first - held_first, member.column, count, member.columns));
      }
      return block;
    }
    ContactMotion block = *whole;
    for (const std::string& member : detail::motion_members()) {
      const MemberPlace place = place_of(member);
      if (member == "previous" || (detail::holds_throughout(member) && member != "dt")) continue;
      if (place.matrix && (block.*place.matrix).rows() == N) {
        block.*place.matrix = SampleMatrix((block.*place.matrix).middleRows(first, count));
      } else if (place.vector && (block.*place.vector).size() == N && N > 1) {
        block.*place.vector = VectorX((block.*place.vector).segment(first, count));
      }
    }
    return block;
  }

  SampleMatrix rows(const std::string& member, Eigen::Index first, Eigen::Index count) {
    if (whole) {
      const MemberPlace place = place_of(member);
      if (place.matrix) return (*whole.*place.matrix).middleRows(first, count);
      return (*whole.*place.vector).segment(first, count);
    }
    for (const MemberRows& one : opened.members) {
      if (one.name != member) continue;
      SampleMatrix all(count, opened.columns());
      opened.read(first, count, all);
      return all.middleCols(one.column, one.columns);
    }
    return {};
  }

  /// Rows that the block before had are taken from it: a deflated member does not go back.
  void read(Eigen::Index first, Eigen::Index count) {
    const Eigen::Index held_end = held_first + held.rows();
    const bool overlaps = first >= held_first && first < held_end;
    const Eigen::Index known = overlaps ? std::min(held_end - first, count) : 0;
    SampleMatrix now(count, opened.columns());
    if (known > 0) now.topRows(known) = held.middleRows(first - held_first, known);
    if (known < count) {
      SampleMatrix fresh(count - known, opened.columns());
      opened.read(first + known, count - known, fresh);
      now.bottomRows(count - known) = fresh;
    }
    held = std::move(now);
    held_first = first;
  }

  std::optional<ContactMotion> whole;
  Opened opened;
  SampleMatrix held;
  Eigen::Index held_first = 0;
  ContactMotion about;
  double begin = kNaN, end = kNaN;
};

ContactMotionReader::ContactMotionReader(const fs::path& path) {
  std::optional<Opened> opened = open_long(path);
  impl_ = opened ? std::make_unique<Impl>(std::move(*opened), path) : std::make_unique<Impl>(load_contact_motion(path));
}
ContactMotionReader::ContactMotionReader(ContactMotion motion) : impl_(std::make_unique<Impl>(std::move(motion))) {}
ContactMotionReader::ContactMotionReader(ContactMotionReader&&) noexcept = default;
ContactMotionReader& ContactMotionReader::operator=(ContactMotionReader&&) noexcept = default;
ContactMotionReader::~ContactMotionReader() = default;

Eigen::Index ContactMotionReader::frames() const noexcept { return impl_->frames(); }
const ContactMotion& ContactMotionReader::about() const noexcept { return impl_->about; }
double ContactMotionReader::time_begin() const noexcept { return impl_->begin; }
double ContactMotionReader::time_end() const noexcept { return impl_->end; }
ContactMotion ContactMotionReader::block(Eigen::Index first, Eigen::Index count) { return impl_->part(first, count); }
SampleMatrix ContactMotionReader::rows(const std::string& member, Eigen::Index first, Eigen::Index count) {
  return impl_->rows(member, first, count);
}
ContactMotion ContactMotionReader::load() && {
  return impl_->whole ? std::move(*impl_->whole) : impl_->part(0, impl_->frames());
}

}  // namespace antaeus
