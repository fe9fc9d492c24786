#include "values.hpp"

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "antaeus/io/files.hpp"

namespace antaeus::python {

void Archive::refuse(const std::string& why) {
  if (refusal_.empty()) refusal_ = why;
}

void Archive::raw(void* data, std::size_t size) {
  if (pass_ == Pass::places || size == 0) return;
  if (pass_ == Pass::write) {
    bytes_.append(static_cast<const char*>(data), size);
    return;
  }
  if (size > bytes_.size() - at_) {
    throw Error("antaeus", "the pickled bytes end too early", "pickle the object again");
  }
  std::memcpy(data, bytes_.data() + at_, size);
  at_ += size;
}

std::size_t Archive::count(std::size_t have) {
  std::uint64_t number = have;
  raw(&number, sizeof number);
  // What is counted takes bytes, or is empty: no damaged number asks for memory that the bytes cannot fill.
  if (pass_ == Pass::read && number > bytes_.size()) {
    throw Error("antaeus", "the pickled bytes are damaged", "pickle the object again");
  }
  return static_cast<std::size_t>(number);
}

void Archive::expect(std::size_t size, bool fits) {
  if (pass_ == Pass::read && (!fits || size > bytes_.size() - at_)) {
    throw Error("antaeus", "the pickled bytes are damaged", "pickle the object again");
  }
}

void Archive::text(std::string& text) {
  if (pass_ == Pass::places) return;
  text.resize(count(text.size()));
  raw(text.data(), text.size());
}

void Archive::text(const char*& text) {
  if (pass_ == Pass::places) return;
  std::string copy = pass_ == Pass::write && text != nullptr ? text : "";
  this->text(copy);
  static std::set<std::string> kept;  // whoever reads a name holds it for ever
  if (pass_ == Pass::read) text = kept.insert(std::move(copy)).first->c_str();
}

void Archive::path(std::filesystem::path& path) {
  if (pass_ == Pass::places) return;
  std::string text = pass_ == Pass::write ? path.string() : "";
  this->text(text);
  path = text;
}

void Archive::open(const void* place, std::size_t size, std::size_t alignment) {
  if (pass_ == Pass::places) open_.push_back({static_cast<const char*>(place), size, alignment, {}});
}

void Archive::member(const void* place, std::size_t size, std::size_t alignment) {
  if (pass_ != Pass::places) return;
  open_.back().members.push_back(
      {static_cast<std::size_t>(static_cast<const char*>(place) - open_.back().place), size, alignment});
}

void Archive::close(const char* type) {
  if (pass_ != Pass::places) return;
  Struct done = std::move(open_.back());
  open_.pop_back();
  std::sort(done.members.begin(), done.members.end(), [](const Place& a, const Place& b) { return a.begin < b.begin; });
  done.members.push_back({done.size, 0, done.alignment});
  std::size_t end = 0;
  for (const Place& member : done.members) {
    const std::size_t next = (end + member.alignment - 1) / member.alignment * member.alignment;
    if (member.begin > next) {
      refuse("its list of fields leaves out " + std::to_string(member.begin - next) + " bytes from " +
             std::to_string(next) + " of " + type);
    }
    end = std::max(end, member.begin + member.size);
  }
}

namespace {

std::unordered_map<PyObject*, Stored>& all_stored() {
  static std::unordered_map<PyObject*, Stored> all;
  return all;
}

/// Of an object's class, or of the class that it derives from.
const Stored& stored_of(nb::handle type) {
  for (const nb::handle base : nb::borrow<nb::tuple>(type.attr("__mro__"))) {
    const auto found = all_stored().find(base.ptr());
    if (found != all_stored().end()) return found->second;
  }
  throw nb::type_error("no value of Antaeus");
}

std::string class_name(nb::handle type) { return nb::cast<std::string>(type.attr("__name__")); }

nb::object copied_value(nb::handle self) {
  nb::object copy = nb::inst_alloc(self.type());
  nb::inst_copy(copy, self);
  if (nb::hasattr(self, "__dict__")) copy.attr("__dict__").attr("update")(self.attr("__dict__"));
  return copy;
}

constexpr std::size_t kChecksumSize = 64;

nb::object reduced_value(nb::handle self) {
  Archive archive(Archive::Pass::write);
  stored_of(self.type()).exchange(archive, nb::inst_ptr<void>(self));
  const nb::object restore = nb::module_::import_("antaeus._values").attr("restore");
  const std::string bytes = pickle_checksum(class_name(self.type()), archive.bytes()) + archive.bytes();
  const nb::tuple arguments = nb::make_tuple(self.type(), ANTAEUS_VERSION, nb::bytes(bytes.data(), bytes.size()));
  if (!nb::hasattr(self, "__dict__")) return nb::make_tuple(restore, arguments);
  return nb::make_tuple(restore, arguments, self.attr("__dict__"));
}

}  // namespace

std::string pickle_checksum(std::string_view type, std::string_view bytes) {
  return sha256(std::string(type) + '\0' + std::string(bytes));
}

void throw_damaged(const std::string& type) {
  throw Error("antaeus." + type, "the pickled bytes are damaged, or were written without a checksum",
              "pickle the object again");
}

nb::object restored_value(nb::type_object type, const std::string& version, const nb::bytes& bytes) {
  const std::string name = class_name(type);
  if (version != ANTAEUS_VERSION) {
    throw Error("antaeus." + name, "pickled by version " + version + "; this is " ANTAEUS_VERSION,
                "pickle it again, or keep logs and profiles as files");
  }
  const Stored& stored = stored_of(type);
  const std::string_view whole(static_cast<const char*>(bytes.data()), bytes.size());
  const std::size_t begin = std::min(kChecksumSize, whole.size());
  if (whole.substr(0, begin) != pickle_checksum(name, whole.substr(begin))) throw_damaged(name);
  nb::object value = nb::inst_alloc(type);
  void* memory = nb::inst_ptr<void>(value);
  stored.make(memory);
  nb::inst_mark_ready(value);
  Archive archive(Archive::Pass::read, std::string(whole.substr(begin)));
  stored.exchange(archive, memory);
  if (!archive.at_end()) throw_damaged(name);
  return value;
}

void install_value(nb::handle type, const Stored& stored) {
  Archive places(Archive::Pass::places);
  const std::unique_ptr<unsigned char[]> nowhere(new unsigned char[stored.size]);
  stored.exchange(places, nowhere.get());
  if (!places.refusal().empty()) {
    type.attr("_no_value") = places.refusal();
    return;
  }
  all_stored()[type.ptr()] = stored;
  const auto method = [&](const char* name, auto function, const char* doc, const auto&... extra) {
    type.attr(name) = nb::cpp_function(function, nb::name(name), nb::is_method(), nb::scope(type), doc, extra...);
  };
  method("__copy__", &copied_value, "A copy that shares nothing.");
  method(
      "__deepcopy__", [](nb::handle self, nb::handle) { return copied_value(self); }, "A copy that shares nothing.",
      nb::arg("memo"));
  method("__reduce__", &reduced_value, "For pickle: its numbers and texts; the same version of Antaeus reads them.");
}

void extend_type(nb::type_object type, const nb::dict& attributes) {
  const nb::object seen = nb::module_::import_("gc").attr("get_referents")(type.attr("__dict__"))[0];
  if (!nb::isinstance<nb::dict>(seen)) return;
  seen.attr("update")(attributes);
  PyType_Modified(reinterpret_cast<PyTypeObject*>(type.ptr()));
}

void Storage<Settings>::exchange(Archive& archive, Settings& settings) {
  if (archive.pass() == Archive::Pass::places) return;
  std::vector<Setting> all = settings.all();
  RobotScale scale = settings.scale();
  python::exchange(archive, all);
  python::exchange(archive, scale);
  if (archive.pass() == Archive::Pass::write) return;
  settings = Settings();
  for (Setting& setting : all) settings.set(std::move(setting));
  settings.set_scale(std::move(scale));
}

}  // namespace antaeus::python
