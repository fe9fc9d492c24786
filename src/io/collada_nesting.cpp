#include "io/collada_nesting.hpp"

#include <tinyxml2.h>

#include <algorithm>
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

/// One <node>, or the file itself, with what lies in it.
struct Node {
  std::vector<std::size_t> inside;
  std::vector<std::string> instances;  ///< ids
};

class Scan : private tinyxml2::XMLVisitor {
 public:
  explicit Scan(std::string_view text) : text_(text) {}

  ColladaFault run() {
    if (text_.find('\0') != std::string_view::npos) {
      const auto end = text_.begin() + static_cast<std::ptrdiff_t>(text_.find('\0'));
      line_ = static_cast<int>(std::count(text_.begin(), end, '\n')) + 1;
      fail("a zero byte: neither plain text nor UTF-8", "save it as UTF-8");
      return fault_;
    }
    tinyxml2::XMLDocument document(false);  // entities stay as they are written
    if (document.Parse(text_.data(), text_.size()) != tinyxml2::XML_SUCCESS) {
      line_ = document.ErrorLineNum();
      document.ErrorID() == tinyxml2::XML_ELEMENT_DEPTH_EXCEEDED
          ? fail(kTooDeep)
          : fail(std::string("not well-formed XML (") + document.ErrorName() + ")");
      return fault_;
    }
    nodes_.emplace_back();
    document.Accept(this);
    if (fault_.problem.empty()) follow_instances();
    return fault_;
  }

 private:
  using Attribute = tinyxml2::XMLAttribute;
  using Element = tinyxml2::XMLElement;
  static constexpr const char* kTooDeep = "elements nested deeper than 100";
  static_assert(kDeepestNode == 100);

  void fail(std::string problem, const char* remedy = kExportAgain) { fault_ = {line_, std::move(problem), remedy}; }
  void fail_whole(std::string problem, const char* remedy = kExportAgain) { fault_ = {0, std::move(problem), remedy}; }

  bool Visit(const tinyxml2::XMLUnknown& unknown) override {
    line_ = unknown.GetLineNum();
    fail("a document type, which Collada has no use for", "remove it");
    return false;
  }

  bool VisitEnter(const Element& element, const Attribute* attribute) override {
    line_ = element.GetLineNum();
    const std::string_view name = element.Name();
    std::size_t node = open_.empty() ? 0 : open_.back();
    if (name == "node") {
      nodes_[node].inside.push_back(nodes_.size());
      node = nodes_.size();
      nodes_.emplace_back();
    }
    open_.push_back(node);
    if (open_.size() > kDeepestNode) fail(kTooDeep);
    for (; attribute && fault_.problem.empty(); attribute = attribute->Next()) {
      read(name, attribute->Name(), attribute->Value(), node);
    }
    if (name == "polylist" || name == "triangles") has_corners_ = has_sizes_ = false;
    if (name == "polygons" || name == "trifans" || name == "tristrips" || name == "linestrips" || name == "lines") {
      has_corners_ = false;
    }
    if (!fault_.problem.empty()) return false;
    if (name == "vcount") has_sizes_ = true;
    if (name == "p") check_order(element);
    if (fault_.problem.empty() && (name == "p" || name == "v" || name == "vcount")) whole_numbers(element);
    return fault_.problem.empty();
  }

  bool VisitExit(const Element&) override {
    open_.pop_back();
    return fault_.problem.empty();
  }

  void read(std::string_view name, std::string_view key, std::string_view value, std::size_t node) {
    // assimp finds a node by its id or by its name; entities would let one text mean another.
    const bool is_link = name == "instance_node" && key == "url";
    if (is_link || (name == "node" && (key == "id" || key == "name" || key == "sid"))) {
      if (value.find('&') != std::string_view::npos) has_entity_ = true;
      std::string plain(is_link && value.starts_with('#') ? value.substr(1) : value);
      std::replace_if(plain.begin(), plain.end(), is_xml_space, ' ');
      if (is_link) {
        nodes_[node].instances.push_back(plain);
      } else {
        named_[plain].push_back(node);
      }
    }
    if (!is_held(name, key, value)) {
      fail(std::string(key) + "=\"" + excerpt(value) + "\" is more than the file holds, or no number");
    }
    if (name == "input" && key == "semantic" && value == "VERTEX") has_corners_ = true;
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

  void check_order(const Element& p) {
    const Element* primitive = p.Parent() ? p.Parent()->ToElement() : nullptr;
    if (!has_corners_) {
      fail("<p> before <input semantic=\"VERTEX\">");
    } else if (!has_sizes_ && primitive && std::string_view(primitive->Name()) == "polylist") {
      fail("<p> before <vcount>");
    }
  }

  /// A list of whole numbers and nothing else: at any other character assimp would read the same number for ever.
  void whole_numbers(const Element& element) {
    const std::string name = std::string("<") + element.Name() + ">";
    const tinyxml2::XMLNode* inside = element.FirstChild();
    if (!inside) return;
    const tinyxml2::XMLText* text = inside->ToText();
    if (!text || text->CData() || inside->NextSibling()) return fail(name + " holds more than numbers");
    double sum = 0;
    std::size_t digits = 0;
    for (const char c : std::string_view(text->Value())) {
      if (c >= '0' && c <= '9') {
        if (++digits > 10) return fail("a number of more than ten digits in " + name);
        last_ = digits == 1 ? c - '0' : 10 * last_ + (c - '0');
        continue;
      }
      if (digits > 0) sum += last_;
      digits = 0;
      if (!is_xml_space(c) && c != '-') return fail("a character that is not a number in " + name);
    }
    if (digits > 0) sum += last_;
    if (name == "<vcount>" && !(sum <= static_cast<double>(text_.size()))) {
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
  int line_ = 0;                   ///< of the element that is being read
  std::vector<std::size_t> open_;  ///< of each element that is open, the node that it lies in or is
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
