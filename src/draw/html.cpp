#include "draw/html.hpp"

#include "antaeus/draw/figure.hpp"

namespace antaeus {

namespace {

void open_tag(std::string& out, const char* tag, Attributes attributes) {
  out += '<';
  out += tag;
  for (const Attribute& attribute : attributes) {
    const std::string_view name = attribute.name;
    if (name.ends_with('!')) {
      out += ' ';
      out += name.substr(0, name.size() - 1);
    } else if (!attribute.value.empty()) {
      out += ' ';
      out += name;
      out += "=\"" + xml_escaped(attribute.value) + '"';
    }
  }
  out += '>';
}

}  // namespace

Html::Html(std::string_view text) : markup_(xml_escaped(text)) {}

Html Html::markup(std::string trusted) {
  Html html;
  html.markup_ = std::move(trusted);
  return html;
}

Html element(const char* tag, Attributes attributes, const Html& content) {
  std::string out;
  out.reserve(content.text().size() + 64);
  open_tag(out, tag, attributes);
  out += content.text();
  out += "</";
  out += tag;
  out += '>';
  return Html::markup(std::move(out));
}

Html void_element(const char* tag, Attributes attributes) {
  std::string out;
  open_tag(out, tag, attributes);
  return Html::markup(std::move(out));
}

}  // namespace antaeus
