#include "draw/html_text.hpp"

#include <string>

namespace antaeus::parts {

std::string prose(std::string_view text) {
  const std::string safe = escaped(text);
  std::string out;
  out.reserve(safe.size() + 16);
  for (std::size_t i = 0; i < safe.size(); ++i) {
    const bool starts = i == 0 || safe[i - 1] == ' ' || safe[i - 1] == '(';
    const bool number = i + 1 < safe.size() && safe[i + 1] >= '0' && safe[i + 1] <= '9';
    if (safe[i] == '-' && starts && number) {
      out += "−";
    } else {
      out += safe[i];
    }
  }
  return out;
}

std::string step_link(Eigen::Index step) {
  if (step < 0) return "never";
  const std::string number = std::to_string(step);
  return "<a href=\"#explore\" class=\"step\" data-step=\"" + number + "\">" + number + "</a>";
}

HtmlTable::HtmlTable(std::string& out, std::string_view caption, const std::vector<std::string>& heads) : out_(out) {
  out_ += "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"" + escaped(caption) +
          "\"><table><caption class=\"prose\">" + escaped(caption) + "</caption><thead><tr>";
  for (const std::string_view head : heads) {
    const bool number = head.starts_with('#');
    out_ += number ? "<th scope=\"col\" class=\"n\">" : "<th scope=\"col\">";
    out_ += escaped(head.substr(number)) + "</th>";
  }
  out_ += "</tr></thead><tbody>\n";
}
HtmlTable::~HtmlTable() { out_ += "</tbody></table></div>\n"; }
HtmlTable& HtmlTable::row(const char* name) {
  out_ += name ? "<tr class=\"" + std::string(name) + "\">" : "<tr>";
  return *this;
}
HtmlTable& HtmlTable::text(std::string_view t) { return raw("<td>" + escaped(t) + "</td>"); }
HtmlTable& HtmlTable::number(const std::string& n) { return raw("<td class=\"n\">" + n + "</td>"); }
HtmlTable& HtmlTable::raw(const std::string& html) {
  out_ += html;
  return *this;
}
void HtmlTable::end() { out_ += "</tr>\n"; }

}  // namespace antaeus::parts
