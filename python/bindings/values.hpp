#pragma once
/// \file
/// Values: structs that Python may copy and pickle. What is stored of a struct is every member that its list of fields
/// names, in the list's order, and every member that stored.hpp adds.
///
/// When a class is bound, the places of these members are compared with the size of the struct: one that leaves a gap,
/// or that holds what cannot be stored (a pointer, a handle), is no value, and Python says so when it is asked.
/// What is stored says which version of Antaeus wrote it, and no other reads it.

#include <array>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "antaeus/core/fields.hpp"
#include "antaeus/core/observation.hpp"
#include "antaeus/core/pose.hpp"
#include "antaeus/core/reasons.hpp"
#include "antaeus/core/settings.hpp"
#include "antaeus/signal/ring_buffer.hpp"
#include "convert.hpp"
#include "stored.hpp"

namespace antaeus {

struct Robot;
class RobotModel;
struct RobotProfile;

}  // namespace antaeus

namespace antaeus::python {

/// Members to bytes, bytes to members, or only their places: one pass over a struct does each of the three.
class Archive {
 public:
  enum class Pass { places, write, read };
  explicit Archive(Pass pass, std::string bytes = {}) : pass_(pass), bytes_(std::move(bytes)) {}

  Pass pass() const noexcept { return pass_; }
  const std::string& bytes() const noexcept { return bytes_; }
  /// Why this is no value; empty: it is one.
  const std::string& refusal() const noexcept { return refusal_; }
  void refuse(const std::string& why);

  void raw(void* data, std::size_t size);
  void text(std::string& text);
  /// A text that lives as long as the program.
  void text(const char*& text);
  void path(std::filesystem::path& path);
  /// How many there are: what is written, or what is read.
  std::size_t count(std::size_t have);
  /// Before memory is taken for what is read. \throws Error unless it fits, and so many bytes are there
  void expect(std::size_t size, bool fits);
  bool at_end() const noexcept { return at_ == bytes_.size(); }

  /// Begins a struct of that place and size; `close` compares it with its members.
  void open(const void* place, std::size_t size, std::size_t alignment);
  void member(const void* place, std::size_t size, std::size_t alignment);
  void close(const char* type);

 private:
  struct Place {
    std::size_t begin, size, alignment;
  };
  struct Struct {
    const char* place;
    std::size_t size, alignment;
    std::vector<Place> members;
  };
  Pass pass_;
  std::string bytes_, refusal_;
  std::size_t at_ = 0;
  std::vector<Struct> open_;
};

template <class Value>
void exchange(Archive& archive, Value& value);

/// What is stored as another value. `exchange` reads nothing of the value in the pass over places.
template <class Value>
struct Storage;
template <class Item>
struct Storage<RingBuffer<Item>> {
  static void exchange(Archive& archive, RingBuffer<Item>& buffer) {
    if (archive.pass() == Archive::Pass::places) return;
    const std::size_t capacity = archive.count(static_cast<std::size_t>(buffer.capacity()));
    std::size_t left = archive.count(static_cast<std::size_t>(buffer.size()));
    if (archive.pass() == Archive::Pass::write) {
      for (int i = 0; i < buffer.size(); ++i) python::exchange(archive, buffer[i]);
      return;
    }
    for (buffer = RingBuffer<Item>(static_cast<int>(capacity)); left > 0; --left) {
      python::exchange(archive, buffer.push());
    }
  }
};
template <>
struct Storage<Settings> {
  static void exchange(Archive& archive, Settings& settings);
};
/// Description and options, of which the model is made again: no file is read.
template <>
struct Storage<RobotModel> {
  static void exchange(Archive& archive, RobotModel& model);
  static RobotModel blank();
};
template <>
struct Storage<RobotProfile> {
  static void exchange(Archive& archive, RobotProfile& profile);
};
template <>
struct Storage<Robot> {
  static void exchange(Archive& archive, Robot& robot);
  static Robot blank();
};

namespace stored {
template <class Value>
concept HasStorage = requires(Archive& archive, Value& value) { Storage<Value>::exchange(archive, value); };
template <class Value>
concept HasMore = requires { visit_stored(static_cast<const Value*>(nullptr), antaeus::detail::IgnoreField{}); };
template <class Value>
concept IsMatrix = requires(const Value& value) { value.derived().IsVectorAtCompileTime; };
template <class Value>
concept IsMap = requires {
  typename Value::mapped_type;
  typename Value::key_compare;
};
template <class Value>
inline constexpr bool kRaw =
    std::is_arithmetic_v<Value> || std::is_enum_v<Value> || std::is_same_v<Value, antaeus::Reasons>;
template <class Value>
inline constexpr bool kVector = false;
template <class Item>
inline constexpr bool kVector<std::vector<Item>> = true;
template <class Value>
inline constexpr bool kArray = false;
template <class Item, std::size_t size>
inline constexpr bool kArray<std::array<Item, size>> = true;
template <class Value>
inline constexpr bool kOptional = false;
template <class Item>
inline constexpr bool kOptional<std::optional<Item>> = true;
template <class Value>
inline constexpr bool kShared = false;
template <class Item>
inline constexpr bool kShared<std::shared_ptr<const Item>> = true;
template <class Value>
inline constexpr bool kPair = false;
template <class First, class Second>
inline constexpr bool kPair<std::pair<First, Second>> = true;
}  // namespace stored

/// The members of a struct that has lists.
template <class Struct>
void exchange_members(Archive& archive, Struct& whole) {
  archive.open(&whole, sizeof(Struct), alignof(Struct));
  const auto one = [&](auto get) {
    if constexpr (std::is_member_object_pointer_v<decltype(get)>) {
      auto& part = whole.*get;
      archive.member(&part, sizeof part, alignof(std::remove_reference_t<decltype(part)>));
      exchange(archive, part);
    }
  };
  if constexpr (HasFields<Struct>) {
    visit_fields(static_cast<const Struct*>(nullptr), [&](const auto& field) { one(field.get); });
  }
  if constexpr (stored::HasMore<Struct>) {
    visit_stored(static_cast<const Struct*>(nullptr), [&](auto... gets) { (one(gets), ...); });
  }
  archive.close(typeid(Struct).name());
}

/// Stores or restores any member. In the pass over places nothing is read from it: it need not live.
template <class Value>
void exchange(Archive& archive, Value& value) {
  const bool places = archive.pass() == Archive::Pass::places;
  [[maybe_unused]] const auto inner = [&]<class Item>(std::type_identity<Item>) {
    alignas(Item) static unsigned char nowhere[sizeof(Item)];
    exchange(archive, reinterpret_cast<Item&>(nowhere));  // NOLINT(cppcoreguidelines-pro-type-reinterpret-cast)
  };
  if constexpr (stored::HasStorage<Value>) {
    Storage<Value>::exchange(archive, value);
  } else if constexpr (stored::kRaw<Value>) {
    archive.raw(&value, sizeof value);
  } else if constexpr (std::is_same_v<Value, std::string> || std::is_same_v<Value, const char*>) {
    archive.text(value);
  } else if constexpr (std::is_same_v<Value, std::filesystem::path>) {
    archive.path(value);
  } else if constexpr (stored::IsMatrix<Value>) {
    if (places) return;
    const std::size_t rows = archive.count(static_cast<std::size_t>(value.rows()));
    const std::size_t columns = archive.count(static_cast<std::size_t>(value.cols()));
    constexpr auto fits = [](std::size_t size, int fixed) {
      return fixed == Eigen::Dynamic || size == static_cast<std::size_t>(fixed);
    };
    archive.expect(rows * columns * sizeof(typename Value::Scalar),
                   fits(rows, Value::RowsAtCompileTime) && fits(columns, Value::ColsAtCompileTime));
    value.resize(static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(columns));
    archive.raw(value.data(), rows * columns * sizeof(typename Value::Scalar));
  } else if constexpr (stored::kVector<Value>) {
    using Item = typename Value::value_type;
    if (places) return inner(std::type_identity<Item>());
    value.resize(archive.count(value.size()));
    if constexpr (std::is_same_v<Item, bool>) {
      for (std::size_t i = 0; i < value.size(); ++i) {
        bool item = value[i];
        archive.raw(&item, sizeof item);
        value[i] = item;
      }
    } else if constexpr (stored::kRaw<Item>) {
      archive.raw(value.data(), value.size() * sizeof(Item));
    } else {
      for (Item& item : value) exchange(archive, item);
    }
  } else if constexpr (stored::kArray<Value>) {
    for (auto& item : value) exchange(archive, item);
  } else if constexpr (stored::kPair<Value>) {
    exchange(archive, value.first);
    exchange(archive, value.second);
  } else if constexpr (stored::kOptional<Value>) {
    if (places) return inner(std::type_identity<typename Value::value_type>());
    if (archive.count(value ? 1 : 0) == 0) {
      value.reset();
    } else {
      if (!value) value.emplace();
      exchange(archive, *value);
    }
  } else if constexpr (stored::kShared<Value>) {
    using Item = std::remove_const_t<typename Value::element_type>;
    if (places) return inner(std::type_identity<Item>());
    if (archive.count(value ? 1 : 0) == 0) {
      value.reset();
    } else if (archive.pass() == Archive::Pass::write) {
      exchange(archive, const_cast<Item&>(*value));  // NOLINT(cppcoreguidelines-pro-type-const-cast): read alone
    } else {
      auto made = std::make_shared<Item>();
      exchange(archive, *made);
      value = std::move(made);
    }
  } else if constexpr (stored::IsMap<Value>) {
    using Key = typename Value::key_type;
    using Item = typename Value::mapped_type;
    if (places) return inner(std::type_identity<Item>());
    std::size_t left = archive.count(value.size());
    if (archive.pass() == Archive::Pass::write) {
      for (auto& [key, item] : value) {
        Key copy = key;
        exchange(archive, copy);
        exchange(archive, item);
      }
      return;
    }
    for (; left > 0; --left) {
      Key key{};
      exchange(archive, key);
      exchange(archive, value[key]);
    }
  } else if constexpr (HasFields<Value> || stored::HasMore<Value>) {
    exchange_members(archive, value);
  } else if (places) {
    archive.refuse("it holds what cannot be stored (" + std::string(typeid(Value).name()) + ")");
  }
}

/// How objects of one class are stored: no template, so that all classes share the code that calls it.
struct Stored {
  std::size_t size = 0;
  void (*make)(void* memory) = nullptr;  ///< an empty one
  void (*exchange)(Archive&, void*) = nullptr;
};

/// An object of a class before it is read.
template <class Struct>
void make_blank(void* memory) {
  if constexpr (requires { Storage<Struct>::blank(); }) {
    new (memory) Struct(Storage<Struct>::blank());
  } else {
    new (memory) Struct();
  }
}

/// Gives a class __copy__, __deepcopy__ and __reduce__, if its lists name all of it.
void install_value(nb::handle type, const Stored& stored);

template <class Struct>
void bind_value(nb::handle type) {
  constexpr bool kBlank = std::is_default_constructible_v<Struct> || requires { Storage<Struct>::blank(); };
  if constexpr (kBlank && std::is_copy_constructible_v<Struct>) {
    install_value(type, {sizeof(Struct), &make_blank<Struct>,
                         [](Archive& archive, void* value) { exchange(archive, *static_cast<Struct*>(value)); }});
  }
}

/// Returns the checksum of what a pickle holds of a type.
std::string pickle_checksum(std::string_view type, std::string_view bytes);
/// \throws Error that names the type
[[noreturn]] void throw_damaged(const std::string& type);
/// An object of a class that holds what __reduce__ wrote. \throws Error for another version or damaged bytes
nb::object restored_value(nb::type_object type, const std::string& version, const nb::bytes& bytes);

/// Attributes for a type that takes none from Python: nanobind's own types of functions, which have no __signature__.
/// Where an interpreter does not let us reach them, nothing happens.
void extend_type(nb::type_object type, const nb::dict& attributes);

/// What antaeus/_values.py and _signatures.py call, and what holds a robot.
void bind_values(nb::module_& module);

}  // namespace antaeus::python
