#include "io/collada_nesting.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/mesh_limits.hpp"
#include "io/text.hpp"

namespace antaeus {

namespace {

constexpr std::size_t kDeepestNode = 100, kMostNodes = 100'000;

bool is_xml_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool ends_name(char c) {
  return is_xml_space(c) || c == '/' || c == '>' || c == '=' || c == '<' || c == '"' || c == '\'';
}

/// One <node>, or the file itself, with what lies in it.
struct Node {
  std::vector<std::size_t> inside;
  std::vector<std::string> instances;  ///< ids
};

class Scan {
 public:
  explicit Scan(std::string_view text) : text_(text) {}

  ColladaFault run() {
    if (text_.find('\0') != std::string_view::npos) {
      fail("a zero byte: neither plain text nor UTF-8", "save it as UTF-8");
      return fault_;
    }
    nodes_.emplace_back();
    while (fault_.problem.empty()) {
      const std::size_t next = text_.find('<', at_);
      if (next == std::string_view::npos) break;
      at_ = next;
      element();
    }
    if (fault_.problem.empty() && !open_.empty()) {
      at_ = text_.size();
      fail("the file ends within <" + excerpt(open_.back().name) + ">");
    }
    if (fault_.problem.empty()) follow_instances();
    return fault_;
  }

 private:
  struct Open {
    std::string_view name;
    std::size_t node;  ///< that it lies in or is
  };
  using Attribute = std::pair<std::string_view, std::string_view>;

  void fail(std::string problem, const char* remedy = kExportAgain) {
    const std::size_t until = std::min(at_, text_.size());
    const auto breaks = std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(until), '\n');
    fault_ = {static_cast<int>(breaks) + 1, std::move(problem), remedy};
  }

  void fail_whole(std::string problem, const char* remedy = kExportAgain) { fault_ = {0, std::move(problem), remedy}; }

  bool starts(std::string_view word) const { return text_.substr(at_).starts_with(word); }

  void skip_past(std::size_t head, std::string_view end) {
    const std::size_t found = text_.find(end, at_ + head);
    if (found == std::string_view::npos) return fail("the file ends where '" + std::string(end) + "' is due");
    at_ = found + end.size();
  }

  void element() {
    if (starts("<!--")) return skip_past(4, "-->");
    if (starts("<![CDATA[")) return skip_past(9, "]]>");
    if (starts("<!")) return fail("a document type, which Collada has no use for", "remove it");
    if (starts("<?")) return skip_past(2, "?>");
    if (starts("</")) return close();
    ++at_;
    const std::string_view name = word();
    std::vector<Attribute> attributes;
    while (fault_.problem.empty()) {
      skip_space();
      if (at_ >= text_.size()) return fail("the file ends within <" + excerpt(name) + ">");
      if (text_[at_] == '>') {
        ++at_;
        return open(name, attributes, false);
      }
      if (starts("/>")) {
        at_ += 2;
        return open(name, attributes, true);
      }
      attribute(attributes);
    }
  }

  void skip_space() {
    while (at_ < text_.size() && is_xml_space(text_[at_])) ++at_;
  }

  std::string_view word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && !ends_name(text_[at_])) ++at_;
    if (at_ == begin) fail("'<' that begins no element");
    return text_.substr(begin, at_ - begin);
  }

  void attribute(std::vector<Attribute>& attributes) {
    const std::string_view name = word();
    skip_space();
    if (!fault_.problem.empty()) return;
    if (at_ >= text_.size() || text_[at_] != '=') return fail("attribute '" + excerpt(name) + "' without a value");
    ++at_;
    skip_space();
    const char quote = at_ < text_.size() ? text_[at_] : ' ';
    const std::size_t end = quote == '"' || quote == '\'' ? text_.find(quote, at_ + 1) : std::string_view::npos;
    if (end == std::string_view::npos) return fail("attribute '" + excerpt(name) + "' without a value in quotes");
    attributes.emplace_back(name, text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
  }

  void open(std::string_view name, const std::vector<Attribute>& attributes, bool is_empty) {
    std::size_t node = open_.empty() ? 0 : open_.back().node;
    if (name == "node") {
      nodes_[node].inside.push_back(nodes_.size());
      node = nodes_.size();
      nodes_.emplace_back();
    }
    for (const auto& [key, value] : attributes) {
      // assimp finds a node by its id or by its name; entities would let one text mean another.
      const bool is_link = name == "instance_node" && key == "url";
      if (is_link || (name == "node" && (key == "id" || key == "name" || key == "sid"))) {
        if (value.find('&') != std::string_view::npos) has_entity_ = true;
        const std::string plain = spaced(is_link && value.starts_with('#') ? value.substr(1) : value);
        if (is_link) {
          nodes_[node].instances.push_back(plain);
        } else {
          named_[plain].push_back(node);
        }
      }
      if (!is_held(name, key, value)) {
        return fail(std::string(key) + "=\"" + excerpt(value) + "\" is more than the file holds, or no number");
      }
      if (name == "input" && key == "semantic" && value == "VERTEX") has_corners_ = true;
    }
    if (name == "polylist" || name == "triangles") has_corners_ = has_sizes_ = false;
    if (name == "polygons" || name == "trifans" || name == "tristrips" || name == "linestrips" || name == "lines") {
      has_corners_ = false;
    }
    if (name == "vcount") has_sizes_ = true;
    if (name == "p" && !has_corners_) return fail("<p> before <input semantic=\"VERTEX\">");
    if (name == "p" && !has_sizes_ && !open_.empty() && open_.back().name == "polylist") {
      return fail("<p> before <vcount>");
    }
    if (!is_empty && (name == "p" || name == "v" || name == "vcount")) whole_numbers(name);
    if (!fault_.problem.empty()) return;
    if (is_empty) return;
    open_.push_back({name, node});
    if (open_.size() > kDeepestNode) fail("elements nested deeper than " + std::to_string(kDeepestNode));
  }

  void close() {
    at_ += 2;
    const std::string_view name = word();
    skip_space();
    if (!fault_.problem.empty()) return;
    if (at_ >= text_.size() || text_[at_] != '>') return fail("</" + excerpt(name) + " without '>'");
    if (open_.empty() || open_.back().name != name) return fail("</" + excerpt(name) + "> closes nothing");
    ++at_;
    open_.pop_back();
  }

  static std::string spaced(std::string_view value) {
    std::string text(value);
    std::replace_if(text.begin(), text.end(), is_xml_space, ' ');
    return text;
  }

  /// Whether the bytes can hold what a number says; true of other attributes.
  bool is_held(std::string_view element, std::string_view key, std::string_view value) const {
    constexpr double kMostChannels = 32, kMostSets = 1000;
    double most = static_cast<double>(text_.size());
    if (key == "set") {
      most = kMostSets;
    } else if (key == "stride" || (key == "offset" && element == "input")) {
      most = kMostChannels;
    } else if (key != "count" && key != "offset") {
      return true;
    }
    const std::optional<double> number = parse_number(value);
    return number && *number >= 0 && *number <= most;
  }

  /// A list of whole numbers and nothing else: at any other character assimp would read the same number for ever.
  void whole_numbers(std::string_view name) {
    double sum = 0;
    for (std::size_t digits = 0;; ++at_) {
      const char c = at_ < text_.size() ? text_[at_] : '<';
      if (c >= '0' && c <= '9') {
        if (++digits > 10) return fail("a number of more than ten digits in <" + std::string(name) + ">");
        last_ = digits == 1 ? c - '0' : 10 * last_ + (c - '0');
        continue;
      }
      if (digits > 0) sum += last_;
      digits = 0;
      if (c == '<') break;
      if (!is_xml_space(c) && c != '-') return fail("a character that is not a number in <" + std::string(name) + ">");
    }
    if (!starts("</")) fail("<" + std::string(name) + "> holds more than numbers");
    if (name == "vcount" && !(sum <= static_cast<double>(text_.size()))) {
      fail("<vcount> names more corners than the file holds");
    }
  }

  /// Depth first, children before their parents; the size of a node is the number of nodes that it becomes.
  void follow_instances() {
    const bool any = std::any_of(nodes_.begin(), nodes_.end(), [](const Node& n) { return !n.instances.empty(); });
    if (!any) {
      if (nodes_.size() > kMostNodes) fail_whole("more than 100 000 nodes", "simplify the mesh");
      return;
    }
    if (has_entity_) return fail_whole("a node's id with '&'", "rename the node");
    for (Node& node : nodes_) {
      for (const std::string& id : node.instances) {
        const auto found = named_.find(id);
        if (found == named_.end()) continue;
        node.inside.insert(node.inside.end(), found->second.begin(), found->second.end());
      }
    }
    constexpr std::size_t kFresh = 0;
    std::vector<std::size_t> sizes(nodes_.size(), kFresh), depths(nodes_.size(), 0), next(nodes_.size(), 0);
    std::vector<bool> is_open(nodes_.size(), false);
    std::vector<std::size_t> path = {0};
    is_open[0] = true;
    while (!path.empty()) {
      const std::size_t node = path.back();
      if (next[node] < nodes_[node].inside.size()) {
        const std::size_t child = nodes_[node].inside[next[node]++];
        if (is_open[child]) return fail_whole("a node that holds itself by <instance_node>");
        if (sizes[child] != kFresh) continue;
        is_open[child] = true;
        path.push_back(child);
        continue;
      }
      std::size_t size = 1, depth = 1;
      for (const std::size_t child : nodes_[node].inside) {
        size = std::min(size + sizes[child], kMostNodes + 1);
        depth = std::max(depth, depths[child] + 1);
      }
      if (size > kMostNodes)
        return fail_whole("more than 100 000 nodes, those of <instance_node> counted", "simplify the mesh");
      if (depth > kDeepestNode) return fail_whole("nodes nested deeper than " + std::to_string(kDeepestNode));
      sizes[node] = size;
      depths[node] = depth;
      is_open[node] = false;
      path.pop_back();
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<Open> open_;
  std::vector<Node> nodes_;
  std::map<std::string, std::vector<std::size_t>, std::less<>> named_;
  bool has_entity_ = false;
  bool has_corners_ = false, has_sizes_ = false;  ///< of the primitives that are being read
  double last_ = 0;
  ColladaFault fault_;
};

}  // namespace

ColladaFault fault_of_collada(std::string_view text) { return Scan(text).run(); }

}  // namespace antaeus
