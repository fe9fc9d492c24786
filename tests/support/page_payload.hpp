#pragma once
// What a page's viewer is given, read back from the page.
#include <string>

#include "support/parse_json.hpp"

namespace antaeus::test {

inline Json payload_of(const std::string& page) {
  const std::string open = "id=\"payload\">";
  const std::size_t begin = page.find(open) + open.size();
  return parse_json(page.substr(begin, page.find("</script>", begin) - begin));
}

}  // namespace antaeus::test
