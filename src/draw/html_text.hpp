#pragma once
// Text into HTML: names and paths are shown as text, whatever they hold.
#include <Eigen/Core>
#include <string>
#include <string_view>
#include <vector>

#include "antaeus/draw/figure.hpp"

namespace antaeus::parts {

inline std::string escaped(std::string_view text) { return xml_escaped(text); }
/// The same with true minus signs before numbers.
std::string prose(std::string_view text);
/// Fixed decimals with a true minus sign; "–" for NaN.
inline std::string fixed(double value, int digits) { return display_number(value, digits); }
/// A step that the viewer's cursor can be sent to; "never" for −1.
std::string step_link(Eigen::Index step);

/// A table written row by row; numbers and heads that begin with '#' are aligned right. Closes itself.
class HtmlTable {
 public:
  HtmlTable(std::string& out, std::string_view caption, const std::vector<std::string>& heads);
  ~HtmlTable();
  HtmlTable(const HtmlTable&) = delete;
  HtmlTable& operator=(const HtmlTable&) = delete;
  HtmlTable& row(const char* name = nullptr);
  HtmlTable& text(std::string_view t);
  HtmlTable& number(const std::string& n);
  /// HTML as it is.
  HtmlTable& raw(const std::string& html);
  void end();

 private:
  std::string& out_;
};

}  // namespace antaeus::parts
