#include "io/mjcf_limits.hpp"

#include <tinyxml2.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "antaeus/core/error.hpp"
#include "antaeus/core/types.hpp"
#include "antaeus/io/files.hpp"

namespace antaeus {

namespace {

namespace fs = std::filesystem;
using Element = tinyxml2::XMLElement;

/// MuJoCo's time grows with the square of the number: 10 000 copies of a body take 20 s.
constexpr double kMostCopies = 20'000;
constexpr std::size_t kMostFiles = 50;  ///< one inside the other
constexpr std::uintmax_t kLargestMjcf = std::uintmax_t{64} << 20;

/// Largest number, or product of numbers, that an attribute may have; "" for every element.
struct Limit {
  std::string_view element, attribute;
  double most;
};
constexpr double kMostPixels = 16'384, kMostNumbers = 100'000;
constexpr Limit kLimits[] = {
    {"replicate", "count", kMostCopies},
    {"flexcomp", "count", kMostNumbers},
    {"", "cellcount", kMostNumbers},
    {"hfield", "nrow", kMostPixels},
    {"hfield", "ncol", kMostPixels},
    {"texture", "width", kMostPixels},
    {"texture", "height", kMostPixels},
    {"", "offwidth", kMostPixels},
    {"", "offheight", kMostPixels},
    {"", "shadowsize", kMostPixels},
    {"mesh", "params", kMostNumbers},
    {"numeric", "size", kMostNumbers},
    {"", "dim", kMostNumbers},
    {"", "num", kMostNumbers},
    {"", "nsample", kMostNumbers},
    {"", "actdim", kMostNumbers},
    {"", "resolution", 1e8},
    {"size", "nkey", kMostNumbers},
    {"size", "nuserdata", 1e7},
    {"size", "nuser_body", kMostNumbers},
    {"size", "nuser_jnt", kMostNumbers},
    {"size", "nuser_geom", kMostNumbers},
    {"size", "nuser_site", kMostNumbers},
    {"size", "nuser_cam", kMostNumbers},
    {"size", "nuser_tendon", kMostNumbers},
    {"size", "nuser_actuator", kMostNumbers},
    {"size", "nuser_sensor", kMostNumbers},
    {"size", "njmax", 1e7},
    {"size", "nconmax", 1e7},
    {"size", "nstack", 1e9},
    {"size", "memory", 0x1p33},
};

/// Product of the numbers above one, with MuJoCo's suffixes of sizes.
double product_of(std::string_view text) {
  double product = 1;
  for (;;) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n+"), text.size()));
    double number = 1;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (problem == std::errc::invalid_argument) return product;
    if (problem == std::errc::result_out_of_range) number = kInfinity;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    const std::size_t power = text.empty() ? std::string_view::npos : std::string_view("KMGTPE").find(text[0]);
    if (power != std::string_view::npos) number *= std::ldexp(1.0, 10 * (static_cast<int>(power) + 1));
    if (power != std::string_view::npos) text.remove_prefix(1);
    product *= std::max(number, 1.0);
  }
}

class MjcfScan {
 public:
  std::uintmax_t run(const fs::path& file, const std::string& text, const std::string& place) {
    if (!file.empty()) return count(file), bytes_;
    open_.push_back({place, fs::path()});
    count_in(text, fs::path());
    return bytes_ + text.size();
  }

 private:
  struct File {
    std::string place;
    fs::path path;
  };
  struct Attachment {
    double times;
    std::string model, place;
  };
  /// One MJCF with what it includes.
  struct Model {
    fs::path folder;
    std::set<fs::path> included;
    std::vector<fs::path> asset_folders = {""};
    std::map<std::string, double, std::less<>> attachable;  ///< name of a <model> → number of its elements
    std::vector<Attachment> attachments;
    double elements = 0, largest = 0;  ///< its own, and those of the largest <model>
  };

  [[noreturn]] void fail(const Element& at, const std::string& problem, const std::string& remedy) const {
    throw ModelError(open_.back().place + ":" + std::to_string(at.GetLineNum()),
                     "<" + std::string(at.Name()) + "> " + problem, remedy);
  }

  static fs::path real(const fs::path& file) {
    std::error_code none;
    const fs::path found = fs::canonical(file, none);
    return none ? file : found;
  }

  /// Number of elements of a file with all copies.
  double count(const fs::path& file) {
    const fs::path path = real(file);
    if (const auto found = counted_.find(path); found != counted_.end()) return found->second;
    std::string text = read_file(file, kLargestMjcf);
    open_.push_back({file.string(), path});
    bytes_ += text.size();
    const double elements = count_in(text, file.parent_path());
    open_.pop_back();
    return counted_[path] = elements;
  }

  double count_in(const std::string& text, const fs::path& folder) {
    Model model;
    model.folder = folder;
    walk_text(text, 1, model);
    double copies = 0;
    for (const Attachment& one : model.attachments) {
      const auto found = model.attachable.find(one.model);
      copies += one.times * (found == model.attachable.end() ? model.largest : found->second);
      if (copies > kMostCopies) {
        throw ModelError(
            one.place, "<attach model=\"" + one.model + "\"> brings more than 20000 elements with all that it attaches",
            "attach fewer or smaller models");
      }
    }
    return model.elements + copies;
  }

  void walk_text(const std::string& text, double times, Model& model) {
    tinyxml2::XMLDocument document;
    if (document.Parse(text.data(), text.size()) != tinyxml2::XML_SUCCESS || !document.RootElement()) return;
    walk(*document.RootElement(), times, model);
  }

  void walk(const Element& element, double times, Model& model) {
    const std::string_view name = element.Name();
    check_attributes(element, model);
    if (const char* const file = element.Attribute("file")) {
      if (name == "include") return include(element, model.folder / file, times, model);
      if (name == "model") return add_model(element, file, model);
    }
    if (const char* const count = element.Attribute("count"); count && name == "replicate") times *= product_of(count);
    if (name == "attach") {
      const char* const attached = element.Attribute("model");
      model.attachments.push_back(
          {times, attached ? attached : "", open_.back().place + ":" + std::to_string(element.GetLineNum())});
    }
    model.elements += times;
    if (times > 1 && (copies_ += times) > kMostCopies) {
      fail(element, "is copied by <replicate> until there are more than 20000 elements", "lower the counts");
    }
    for (const Element* inside = element.FirstChildElement(); inside; inside = inside->NextSiblingElement()) {
      walk(*inside, times, model);
    }
  }

  void check_attributes(const Element& element, Model& model) {
    const std::string_view name = element.Name();
    for (const tinyxml2::XMLAttribute* one = element.FirstAttribute(); one; one = one->Next()) {
      const std::string_view key = one->Name();
      const auto limit = std::ranges::find_if(
          kLimits, [&](const Limit& l) { return l.attribute == key && (l.element.empty() || l.element == name); });
      if (limit != std::end(kLimits) && product_of(one->Value()) > limit->most) {
        const std::string most = std::to_string(static_cast<std::int64_t>(limit->most));
        fail(element, "has " + std::string(key) + "=\"" + one->Value() + "\", more than " + most,
             "use at most " + most);
      }
      if (name == "compiler" && key.ends_with("dir")) model.asset_folders.emplace_back(one->Value());
      if (key.starts_with("file") && name != "include" && name != "model") add_bytes(element, one->Value(), model);
    }
  }

  void add_bytes(const Element& element, const char* file, const Model& model) {
    for (const fs::path& folder : model.asset_folders) {
      const fs::path path = model.folder / folder / file;
      if (!is_file(element, path)) continue;
      std::error_code none;
      const std::uintmax_t size = fs::file_size(path, none);
      if (!none) bytes_ += size;
      return;
    }
  }

  /// \return whether it exists. \throws ModelError for a device or a FIFO
  bool is_file(const Element& element, const fs::path& path) const {
    std::error_code none;
    const fs::file_status status = fs::status(path, none);
    if (fs::is_other(status))
      fail(element, "names '" + path.string() + "', which is not a regular file", "name a file");
    return fs::is_regular_file(status);
  }

  bool is_open(const fs::path& path) const {
    return std::ranges::any_of(open_, [&](const File& file) { return !path.empty() && file.path == path; });
  }

  void enter(const Element& element, const fs::path& file) const {
    if (open_.size() >= kMostFiles) fail(element, "nests more than 50 files", "put them into fewer files");
    if (is_open(real(file))) {
      fail(element, "names '" + file.string() + "', which contains this file: it would contain itself",
           "remove the element, or name another file");
    }
  }

  void include(const Element& element, const fs::path& file, double times, Model& model) {
    if (!is_file(element, file)) return;  // MuJoCo names it
    enter(element, file);
    if (!model.included.insert(real(file)).second) return;  // MuJoCo refuses it
    const std::string text = read_file(file, kLargestMjcf);
    bytes_ += text.size();
    open_.push_back({file.string(), real(file)});
    walk_text(text, times, model);
    open_.pop_back();
  }

  void add_model(const Element& element, const char* name, Model& model) {
    const fs::path file = model.folder / name;
    if (!is_file(element, file)) return;
    enter(element, file);
    const double elements = count(file);
    const char* const own = element.Attribute("name");
    if (own) model.attachable[own] = elements;
    model.largest = std::max(model.largest, elements);  // one without a name has that of its own file
  }

  std::uintmax_t bytes_ = 0;
  double copies_ = 0;
  std::vector<File> open_;
  std::map<fs::path, double> counted_;
};

}  // namespace

std::uintmax_t check_mjcf(const fs::path& file, const std::string& text, const std::string& place) {
  return MjcfScan().run(file, text, place);
}

}  // namespace antaeus
