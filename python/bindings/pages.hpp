#pragma once
/// \file
/// Results as files and in notebooks: `save(path)` and `_repr_html_()` of every result that has a page.

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "antaeus/robot/robot_meshes.hpp"
#include "convert.hpp"

namespace antaeus::python {

/// What a result is as a file whose name ends so.
struct SavedForm {
  const char* ending;                  ///< ".html"
  const char* meaning;                 ///< "the page"
  std::function<std::string()> bytes;  ///< called without the interpreter's lock
};
/// What a result can be saved as; the page is the first.
using SavedForms = std::vector<SavedForm>;

/// Writes what the file's name asks for, whole or not at all. \param place  "audit.save", for messages
/// \throws OptionsError for a folder or another ending, Error for a place that cannot be written to
void save_form(const char* place, const std::filesystem::path& file, const SavedForms& forms);

/// The page in a frame of its own for a notebook's output: it sees nothing of the notebook.
nb::object notebook_html(const SavedForms& forms);

/// A JSON text as objects of Python.
nb::object loaded_json(const std::string& text);

/// What a robot is drawn from; files that are not there are left out, as in the command line.
std::shared_ptr<const MeshFiles> drawn_meshes(const RobotDescription& description);

inline constexpr const char* kNotebookDoc = "The page in a frame, for notebooks: what Jupyter shows of this object.";
inline constexpr const char* kSaveDoc =
    "Writes the page (.html) or the summary (.json), whole or not at all, and makes folders that are missing; the "
    "bytes are those of the command line's files. path: str or os.PathLike. OptionsError, a ValueError, for a name "
    "that ends otherwise; Error where it cannot be written. The interpreter's lock is released meanwhile.";

/// `save` and `_repr_html_` of a class. \param forms  const Self& → SavedForms, whose bytes are made from that object
template <class Class, class Forms>
Class& bind_saving(Class& type, const char* place, Forms forms, const char* save_doc = kSaveDoc) {
  using Self = typename Class::Type;
  type.def(
      "save",
      [place, forms](const Self& self, const std::filesystem::path& path) { save_form(place, path, forms(self)); },
      "path"_a, save_doc);
  type.def(
      "_repr_html_", [forms](const Self& self) { return notebook_html(forms(self)); },
      nb::sig("def _repr_html_(self) -> str"), kNotebookDoc);
  return type;
}

}  // namespace antaeus::python
