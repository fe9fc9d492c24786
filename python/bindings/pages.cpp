// Results as files and in notebooks.
#include "pages.hpp"

#include <algorithm>

#include "antaeus/io/files.hpp"

namespace antaeus::python {

namespace {

/// ".html (the page), .json (the summary) or .csv (a table)"
std::string endings_text(const SavedForms& forms) {
  std::string text;
  for (std::size_t i = 0; i < forms.size(); ++i) {
    if (i > 0) text += i + 1 == forms.size() ? " or " : ", ";
    text += std::string(forms[i].ending) + " (" + forms[i].meaning + ")";
  }
  return text;
}

/// Text as the value of an attribute in double quotes. A reader of attributes turns it back into the same bytes.
std::string attribute_value(const std::string& text) {
  std::string value;
  value.reserve(text.size() + text.size() / 8);
  for (const char c : text) {
    switch (c) {
      case '&': value += "&amp;"; break;
      case '"': value += "&quot;"; break;
      case '<': value += "&lt;"; break;
      case '>': value += "&gt;"; break;
      default: value += c;
    }
  }
  return value;
}

/// Without it a link to a place in the page would open the notebook's own address in the frame.
constexpr std::string_view kHead = "<head>", kOwnLinks = "<base href=\"about:srcdoc\">";

std::string frame_of(std::string page) {
  const std::size_t head = page.find(kHead);
  if (head != std::string::npos) page.insert(head + kHead.size(), kOwnLinks);
  return "<iframe title=\"Antaeus\" sandbox=\"allow-scripts allow-popups\" style=\"width:100%;height:720px;border:0;"
         "resize:vertical\" srcdoc=\"" +
         attribute_value(page) + "\"></iframe>";
}

}  // namespace

void save_form(const char* place, const std::filesystem::path& file, const SavedForms& forms) {
  const std::string name = "'" + file.string() + "'";
  std::error_code no_such_folder;  // a name that is too long is told when it is written
  if (std::filesystem::is_directory(file, no_such_folder)) {
    throw OptionsError(place, name + " is a folder", "name a file in it that ends in " + endings_text(forms));
  }
  const auto form = std::ranges::find(forms, file.extension().string(), &SavedForm::ending);
  if (form == forms.end()) {
    throw OptionsError(place, name + " says no format", "let it end in " + endings_text(forms));
  }
  const Unlocked unlocked;
  write_file(file, form->bytes());
}

nb::object notebook_html(const SavedForms& forms) {
  std::string html;
  {
    const Unlocked unlocked;
    html = frame_of(forms.front().bytes());
  }
  return nb::steal(PyUnicode_DecodeUTF8(html.data(), static_cast<Py_ssize_t>(html.size()), "replace"));
}

nb::object loaded_json(const std::string& text) { return nb::module_::import_("json").attr("loads")(text); }

std::shared_ptr<const MeshFiles> drawn_meshes(const RobotDescription& description) {
  return std::make_shared<const MeshFiles>(read_meshes(description, nullptr));
}

}  // namespace antaeus::python
