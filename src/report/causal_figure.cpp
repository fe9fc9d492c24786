// The causal graph of an audit as boxes and arrows.
#include <algorithm>
#include <array>
#include <map>

#include "antaeus/audit/audit.hpp"
#include "antaeus/draw/figure.hpp"
#include "audit/audit_shared.hpp"
#include "report/audit_series.hpp"

namespace antaeus::detail {

namespace {

using N = CausalNode;

/// Characters of small text that fit a line.
constexpr std::size_t kBoxLine = 50, kEdgeLine = 40, kSideLine = 33, kBackLine = 24;
constexpr double kLine = 15.0, kWidth = 760.0, kGap = 50.0;

/// Words in lines of at most so many bytes; a longer word stands alone.
std::vector<std::string> filled(const std::string& text, std::size_t most) {
  std::vector<std::string> lines = {""};
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    if (!lines.back().empty() && lines.back().size() + 1 + word.size() > most) lines.emplace_back();
    lines.back() += (lines.back().empty() ? "" : " ") + word;
    at = end + 1;
  }
  return lines;
}

/// The same number of lines, as short as they can be: no word is left alone.
std::vector<std::string> wrapped(const std::string& text, std::size_t most) {
  std::vector<std::string> lines = filled(text, most);
  for (std::size_t width = most; width-- > 1;) {
    std::vector<std::string> narrower = filled(text, width);
    if (narrower.size() > lines.size()) break;
    lines = std::move(narrower);
  }
  return lines;
}

Style style_of(CausalEvidence evidence) {
  switch (evidence) {
    case CausalEvidence::computed: return {Tone::ink, Dash::solid, Marker::none, 1.8};
    case CausalEvidence::inferred: return {Tone::blue, Dash::dashed, Marker::none, 1.8};
    case CausalEvidence::absent: break;
  }
  return {Tone::muted, Dash::dotted, Marker::none, 1.4};
}

/// Boxes by rows: two branches, and below them what they meet in.
class CausalDrawing {
 public:
  explicit CausalDrawing(const Audit& audit) : graph_(audit.causal_graph), audit_(audit) { panel_.frame = false; }

  NamedFigure draw() {
    const bool away = has(N::start_error);
    double y = 4;
    y = row({{N::pose, 0}, {N::start_error, 1}}, y);
    y = row({{N::gain, 0}, {away ? N::commanded_torque : N::reference_residual, 1}}, y);
    if (away) y = row({{N::reference_residual, 1}}, y);
    for (const N node : {N::force, N::targets, N::torque}) y = row({{node, 2}}, y);
    for (const CausalEdge& edge : graph_.edges) arrow(edge);
    Figure figure;
    figure.id = "causal-graph";
    figure.title = "How the force comes about";
    const double height = y - kGap + 34;
    // The legend is part of the drawing: a line, and what it says.
    double x = 20;
    for (const auto& [evidence, words] : {std::pair(CausalEvidence::computed, "computed from log and model"),
                                          std::pair(CausalEvidence::inferred, "inferred: its ends are in the log"),
                                          std::pair(CausalEvidence::absent, "absent: not seen in this log")}) {
      line({x, x + 28}, {height - 8, height - 8}, DrawnShape::Kind::arrow, style_of(evidence));
      note(x + 36, height - 4, words, Annotation::Anchor::start, false);
      x += 245;
    }
    panel_.x.minimum = 0, panel_.x.maximum = kWidth;
    panel_.y.minimum = -height, panel_.y.maximum = 0;
    figure.panel_height = height;
    figure.panels = {std::move(panel_)};
    std::string caption = "What makes the force at step " + std::to_string(audit_.focus_step) +
                          ", and what follows it, with the numbers of this log.";
    if (audit_.contact.found) caption += " The torques are those of a contact, and the joints share it.";
    for (const CausalEdge& edge : graph_.edges) {
      figure.description += std::string(figure.description.empty() ? "" : "; ") + in_words(to_string(edge.from)) +
                            " to " + in_words(to_string(edge.to)) + ", " + std::string(to_string(edge.evidence)) +
                            ": " + edge.text;
    }
    return {figure.id, figure.title, caption, draw_figure(figure)};
  }

 private:
  struct Box {
    double left, right, top, bottom;
  };
  bool has(N node) const { return graph_.find(node) != nullptr; }
  /// The node's name, in words that hold for any robot.
  static std::string title(const CausalState& state) {
    const std::string of = state.subject.empty() ? "" : state.subject;
    switch (state.node) {
      case N::pose: return "Pose, at the " + of;
      case N::gain: return "Gain of " + of;
      case N::start_error: return "Start error, " + of;
      case N::commanded_torque: return "Torque of " + of;
      case N::reference_residual: return of + ": torque beyond gravity";
      case N::force: return "Force read at the " + of;
      case N::targets: return of.empty() ? "Targets" : "Target of " + of;
      case N::torque: break;
    }
    return "Torque of " + of;
  }
  void note(double x, double y, const std::string& text, Annotation::Anchor anchor, bool strong) {
    panel_.notes.push_back({x, -y, text, 0.0, 0.0, anchor, strong});
  }
  void line(std::vector<double> x, std::vector<double> y, DrawnShape::Kind kind, const Style& style) {
    for (double& value : y) value = -value;
    panel_.shapes.push_back({kind, std::move(x), std::move(y), style});
  }
  double row(std::initializer_list<std::pair<N, int>> nodes, double top) {
    double height = 0;
    for (const auto& [node, column] : nodes) {
      const CausalState* state = graph_.find(node);
      if (state) height = std::max(height, 26.0 + kLine * static_cast<double>(wrapped(state->text, kBoxLine).size()));
    }
    if (height == 0) return top;
    constexpr std::array<std::pair<double, double>, 3> kSpan = {{{10, 350}, {390, 730}, {150, 570}}};
    for (const auto& [node, column] : nodes) {
      const CausalState* state = graph_.find(node);
      if (!state) continue;
      const Box box{kSpan[column].first, kSpan[column].second, top, top + height};
      boxes_[node] = box;
      line({box.left, box.right, box.right, box.left, box.left}, {top, top, box.bottom, box.bottom, top},
           DrawnShape::Kind::line, {Tone::ink, Dash::solid, Marker::none, 1.2});
      const double middle = (box.left + box.right) / 2;
      note(middle, top + 17, title(*state), Annotation::Anchor::middle, true);
      double y = top + 17 + kLine;
      for (const std::string& text : wrapped(state->text, kBoxLine)) {
        note(middle, y, text, Annotation::Anchor::middle, false);
        y += kLine;
      }
    }
    return top + height + kGap;
  }
  void arrow(const CausalEdge& edge) {
    const auto from = boxes_.find(edge.from), to = boxes_.find(edge.to);
    if (from == boxes_.end() || to == boxes_.end()) return;
    const Box &a = from->second, &b = to->second;
    const Style style = style_of(edge.evidence);
    if (a.top > b.top) {  // it comes round, right of everything
      const double x = 715, y = (a.top + a.bottom) / 2;
      line({a.right, x, x}, {y, y, b.bottom + 2}, DrawnShape::Kind::arrow, style);
      double at = a.top - kGap - kLine;
      for (const std::string& text : wrapped(edge.text, kBackLine)) {
        note(x - 6, at, text, Annotation::Anchor::end, false);
        at += kLine;
      }
      return;
    }
    double x = std::clamp((a.left + a.right) / 2, b.left + 20, b.right - 20);
    if (a.right - a.left < b.right - b.left) x = a.left < b.left ? 180 : 480;
    line({x, x}, {a.bottom, b.top - 2}, DrawnShape::Kind::arrow, style);
    const std::vector<std::string> lines = wrapped(edge.text, x > 500 ? kSideLine : kEdgeLine);
    double at = (a.bottom + b.top) / 2 + 4 - kLine * static_cast<double>(lines.size() - 1) / 2;
    for (const std::string& text : lines) {
      note(x + 9, at, text, Annotation::Anchor::start, false);
      at += kLine;
    }
  }

  const CausalGraph& graph_;
  const Audit& audit_;
  Panel panel_;
  std::map<N, Box> boxes_;
};

}  // namespace

std::vector<NamedFigure> causal_figures(const Audit& audit) {
  if (audit.causal_graph.nodes.empty()) return {};
  return {CausalDrawing(audit).draw()};
}

}  // namespace antaeus::detail
