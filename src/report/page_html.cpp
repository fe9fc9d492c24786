// Page -> HTML. Every text goes through Html, which escapes it.
#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "antaeus/core/error.hpp"
#include "antaeus/core/number_text.hpp"
#include "antaeus/report/page.hpp"
#include "draw/html.hpp"
#include "report/viewer_bundle.hpp"
#include "report/views_json.hpp"

namespace antaeus {

namespace {

constexpr std::string_view kMinus = "\u2212", kFirmSpace = "\u00A0";

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_unit(std::string_view word) {
  constexpr std::array<std::string_view, 24> kUnits = {
      "N", "N·m", "N/(N·m)", "kg", "kg·m²", "m",    "mm",    "s",      "ms",  "Hz",    "kHz", "rad",
      "°", "deg", "%",       "W",  "m/s",   "m/s²", "rad/s", "rad/s²", "N/s", "N·m/s", "px",  "degrees"};
  return std::find(kUnits.begin(), kUnits.end(), word) != kUnits.end();
}

/// Plain text as it is set: minus signs before numbers, no break between a number and its unit.
Html typeset(std::string_view text) {
  std::string out;
  out.reserve(text.size() + 16);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char before = i == 0 ? ' ' : text[i - 1];
    const bool number_follows = i + 1 < text.size() && is_digit(text[i + 1]);
    if (text[i] == '-' && number_follows && (before == ' ' || before == '(')) {
      out += kMinus;
    } else if (text[i] == ' ' &&
               (is_digit(before) || text.substr(0, i).ends_with("±") || text.substr(i + 1).starts_with("±"))) {
      const std::string_view rest = text.substr(i + 1);
      std::string_view word = rest.substr(0, rest.find(' '));
      while (!word.empty() && std::string_view(".,;:").find(word.back()) != std::string_view::npos)
        word.remove_suffix(1);
      if (word.ends_with(')') && word.find('(') == std::string_view::npos) word.remove_suffix(1);
      const bool doubt = !is_digit(before) || rest.starts_with("±");
      out += doubt || is_unit(word) ? kFirmSpace : " ";
    } else {
      out += text[i];
    }
  }
  return out;
}

std::string number_of(const Quantity& quantity) {
  if (quantity.digits >= 0) return display_number(quantity.value, quantity.digits);
  std::string text = display_number(quantity.value, display_digits(quantity.value));
  if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  return text;
}

std::string plain(const std::string& text) { return text; }
std::string plain(const Strong& strong) { return strong.text; }
std::string plain(const StateWord& state) { return state.word; }
std::string plain(const Link& link) { return link.text; }
std::string plain(const StepLink& link) { return link.step < 0 ? "never" : std::to_string(link.step); }
std::string plain(const Quantity& quantity) {
  return number_of(quantity) + (quantity.unit.empty() ? "" : " " + quantity.unit);
}

/// \throws Error unless the address is relative or http(s)
void require_address(const Link& link) {
  const std::string& to = link.address;
  const bool spoiled = std::any_of(to.begin(), to.end(), [](unsigned char c) { return c <= ' ' || c == 127; });
  const std::size_t scheme = to.find(':');
  const bool relative = scheme == std::string::npos || to.find_first_of("/?#") < scheme;
  if (to.empty() || spoiled || !(relative || to.starts_with("https://") || to.starts_with("http://"))) {
    throw Error("page", "'" + to + "' is no address of a link",
                "give one that is relative to the page, or http(s), with special characters as %XX");
  }
}

std::string tone_class(Tone tone) { return std::string(to_string(tone)); }

/// An HTML page in the making.
class Writer {
 public:
  explicit Writer(const Page& page) : page_(page) {}

  Html prose(const Prose& text) const {
    Html out;
    for (const Prose::Piece& piece : text.pieces()) {
      std::visit([&](const auto& p) { out << this->piece(p); }, piece);
    }
    return out;
  }

  Html piece(const std::string& text) const { return typeset(text); }
  Html piece(const Strong& strong) const { return element("strong", typeset(strong.text)); }
  Html piece(const Link& link) const {
    require_address(link);
    return element("a", {{"href", link.address}}, typeset(link.text));
  }
  Html piece(const StateWord& state) const {
    return element("span", {{"class", "state " + tone_class(state.tone)}}, state.word);
  }
  Html piece(const Quantity& quantity) const {
    const std::string unit = quantity.unit.empty() ? "" : std::string(kFirmSpace) + quantity.unit;
    return number_of(quantity) + unit;
  }
  Html piece(const StepLink& link) const {
    if (link.step < 0) return "never";
    const std::string number = std::to_string(link.step);
    if (page_.views.empty()) return number;
    return element("a", {{"class", "step"}, {"href", "#step=" + number}, {"data-step", number}}, number);
  }

  Html blocks(const std::vector<Block>& all) {
    Html out;
    for (const Block& block : all) {
      std::visit([&](const auto& b) { out << this->block(b); }, static_cast<const Block::variant&>(block));
    }
    return out;
  }

  Html paragraph(const char* tag, const Paragraph& p) const {
    return element(tag, {{"class", p.quiet ? "prose quiet note" : "prose"}, {"data-statement", p.id}}, prose(p.text));
  }
  Html block(const Paragraph& p) const { return p.text.empty() ? Html() : paragraph("p", p); }
  Html block(const Bullets& list) const {
    Html items;
    for (const Paragraph& item : list.items) items << paragraph("li", item);
    return items.empty() ? Html() : element("ul", {{"class", "bullets"}}, items);
  }
  Html block(const Definitions& list) const {
    Html items;
    for (const auto& [term, text] : list.items) {
      items << element("dt", typeset(term)) << element("dd", {{"class", "prose"}}, prose(text));
    }
    return items.empty() ? Html() : element("dl", items);
  }
  Html block(const TableBlock& table) const {
    if (table.rows.empty()) return {};
    Html heads, rows;
    std::vector<bool> numeric;
    for (const std::string_view head : table.heads) {
      numeric.push_back(head.starts_with('#'));
      heads << element("th", {{"scope", "col"}, {"class", numeric.back() ? "n" : ""}},
                       typeset(head.substr(numeric.back())));
    }
    for (const TableBlock::Row& row : table.rows) {
      Html cells;
      for (std::size_t i = 0; i < row.cells.size(); ++i) {
        const bool number = i < numeric.size() && numeric[i];
        cells << element("td", {{"class", number ? "n" : "prose"}}, prose(row.cells[i]));
      }
      using Mark = TableBlock::Row::Mark;
      const char* mark = row.mark == Mark::strong ? "strong" : row.mark == Mark::failed ? "failed" : "";
      rows << element("tr", {{"class", mark}}, cells) << Html::markup("\n");
    }
    Html inside = element("caption", {{"class", "prose"}}, typeset(table.caption));
    inside << element("thead", element("tr", heads)) << element("tbody", rows);
    return element("div", {{"class", "scroll"}, {"tabindex", "0"}, {"role", "region"}, {"aria-label", table.caption}},
                   element("table", inside));
  }
  Html block(const Figures& list) {
    Html all;
    for (const NamedFigure& figure : list.figures) {
      const std::string id = "figure-" + figure.id;
      take(id);
      Html inside = element("h3", typeset(figure.title));
      inside << element("div", {{"class", "canvas"}}, Html::markup(figure.svg))
             << element("figcaption", {{"class", "prose"}}, typeset(figure.caption));
      all << element("figure", {{"id", id}}, inside);
    }
    return all.empty() ? Html() : element("div", {{"class", list.figures.size() > 1 ? "figures" : "figures one"}}, all);
  }
  Html block(const Chain& chain) const {
    if (chain.nodes.empty()) return {};
    Html items;
    for (std::size_t i = 0; i < chain.nodes.size(); ++i) {
      const Chain::Node& node = chain.nodes[i];
      if (i > 0) items << arrow(node);
      Html inside = element("h3", typeset(node.title));
      inside << element("p", {{"class", "prose"}}, prose(node.text));
      if (!node.place.empty()) inside << element("p", {{"class", "quiet"}}, prose(node.place));
      items << element("li", {{"class", "node"}}, inside);
    }
    return element("ol", {{"class", "chain"}}, items);
  }
  Html arrow(const Chain::Node& to) const {
    const char* word = to.inferred ? "inferred" : "computed";
    Html shape = element("path", {{"class", "shaft"}, {"d", "M1 8H38"}}, {});
    shape << element("path", {{"class", "tip"}, {"d", "M37 2.5L47 8L37 13.5Z"}}, {});
    Html told = element("b", word);
    told << element("span", {{"class", "prose"}}, Html(" ") << prose(to.because));
    Html inside = element("svg", {{"viewBox", "0 0 48 16"}, {"role", "img"}, {"aria-label", word}}, shape);
    inside << element("p", told);
    return element("li", {{"class", std::string("arrow ") + word}}, inside);
  }
  Html block(const Timeline& timeline) const {
    Html moments;
    for (const Timeline::Moment& moment : timeline.moments) {
      Html when = "step ";
      when << piece(StepLink{moment.step});
      if (std::isfinite(moment.time)) {
        when << element("span", {{"class", "quiet"}}, piece(Quantity{moment.time, "s", 3}));
      }
      Html entries;
      for (const auto& [text, tone] : moment.entries) {
        entries << element("li", {{"class", "prose event " + tone_class(tone)}}, prose(text));
      }
      moments << element("li", element("div", {{"class", "moment"}}, when) << element("ul", entries));
    }
    return moments.empty() ? Html() : element("ol", {{"class", "timeline"}}, moments);
  }
  Html block(const CodeLine& line) const {
    return line.text.empty() ? Html() : element("pre", {{"tabindex", "0"}}, element("code", line.text));
  }
  Html block(const ViewsPlace&) {
    if (page_.views.empty()) return {};
    return element("div", {{"id", "viewer"}},
                   element("p", {{"class", "quiet note"}}, "These plots need JavaScript, which is off here."));
  }
  Html block(const Columns& columns) {
    Html all;
    for (const Columns::Column& column : columns.columns) {
      const Html inside = blocks(column.blocks);
      if (inside.empty()) continue;
      Html head = element("h3", typeset(column.title));
      if (!column.lead.empty()) head << element("p", {{"class", "prose lead"}}, typeset(column.lead));
      all << element("div", head << inside);
    }
    return all.empty() ? Html() : element("div", {{"class", "columns"}}, all);
  }
  Html block(const Folded& folded) {
    const Html inside = blocks(folded.blocks);
    if (inside.empty()) return {};
    return element("details", element("summary", typeset(folded.title)) << inside);
  }

  Html section(const Section& section) {
    Html inside = blocks(section.blocks);
    if (inside.empty()) return {};
    take(section.id);
    contents_ << element("li", element("a", {{"href", "#" + section.id}}, typeset(section.title)));
    const Html title = element("h2", typeset(section.title));
    Html whole = section.folded ? element("details", {{"class", "section"}}, element("summary", title) << inside)
                                : Html(title) << inside;
    return element("section", {{"id", section.id}}, whole) << Html::markup("\n");
  }

  Html header() const {
    Html title = page_.title;
    if (!page_.badge.empty()) {
      title << element("span", {{"class", "badge " + tone_class(page_.badge_tone)}}, page_.badge);
    }
    Html inside = element("p", {{"class", "kicker"}}, page_.kicker);
    inside << element("h1", title) << element("p", {{"class", "prose quiet"}}, prose(page_.subtitle));
    return element("header", inside);
  }
  Html answers() const {
    Html all;
    for (const Answer& answer : page_.answers) {
      Html inside = element("h2", typeset(answer.question));
      for (const Paragraph& p : answer.paragraphs) inside << paragraph("p", p);
      all << element("div", {{"class", "answer"}}, inside) << Html::markup("\n");
    }
    return all.empty() ? Html() : element("section", {{"class", "answers"}, {"aria-label", "in short"}}, all);
  }

  Html body() {
    Html sections;
    for (const Section& one : page_.sections) sections << section(one);
    Html all = header();
    all << answers();
    if (!contents_.empty()) {
      all << element("nav", {{"class", "contents"}, {"aria-label", "contents"}}, element("ul", contents_));
    }
    return element("main", all << sections);
  }

 private:
  void take(const std::string& id) {
    if (id.empty() || id.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") != std::string::npos) {
      throw Error("page", "'" + id + "' is no id of a section or figure", "use a-z, 0-9 and '-'");
    }
    if (!ids_.insert(id).second) throw Error("page", "the id '" + id + "' stands twice", "rename one of them");
  }

  const Page& page_;
  Html contents_;
  std::set<std::string> ids_ = {"viewer", "payload"};
};

}  // namespace

std::string plain_text(const Prose& prose) {
  std::string text;
  for (const Prose::Piece& piece : prose.pieces()) {
    text += std::visit([](const auto& one) { return plain(one); }, piece);
  }
  return text;
}

Prose linked_steps(std::string_view text) {
  constexpr std::string_view kWord = "step ";
  Prose prose;
  std::size_t told = 0;
  for (std::size_t at = text.find(kWord); at != std::string_view::npos; at = text.find(kWord, at + 1)) {
    const std::size_t begin = at + kWord.size();
    std::size_t end = begin;
    while (end < text.size() && is_digit(text[end]) && end - begin < 15) ++end;
    // "step 8 (22.609 s)": a step of this run. "step 0 (gain 1.5)" is one of another.
    std::size_t time = end + 2;
    while (time < text.size() && (is_digit(text[time]) || text[time] == '.')) ++time;
    if (end == begin || text.substr(end, 2) != " (" || time == end + 2 || text.substr(time, 3) != " s)") continue;
    prose << std::string(text.substr(told, begin - told))
          << StepLink{std::stoll(std::string(text.substr(begin, end - begin)))};
    told = end;
  }
  if (told < text.size()) prose << std::string(text.substr(told));
  return prose;
}

std::string html_page(const Page& page) {
  Writer writer(page);
  Html head = void_element("meta", {{"charset", "utf-8"}});
  // src/io/own_results.cpp recognises a page by the text up to here.
  head << void_element("meta", {{"name", "generator"}, {"content", "Antaeus"}})
       << void_element("meta", {{"name", "viewport"}, {"content", "width=device-width,initial-scale=1"}})
       << void_element("meta", {{"name", "color-scheme"}, {"content", "light dark"}})
       << element("title", page.kicker.empty() ? page.title : page.kicker + ": " + page.title)
       << element("style", Html::markup(std::string(kViewerStyle)));
  Html body = writer.body();
  if (!page.views.empty()) {
    body << Html::markup("\n")
         << element("script", {{"type", "application/json"}, {"id", "payload"}},
                    Html::markup(detail::views_json(page.views)))
         << Html::markup("\n") << element("script", Html::markup(std::string(kViewerScript)));
  }
  Html document = element("head", head);
  document << Html::markup("\n") << element("body", body);
  return "<!doctype html>\n" + element("html", {{"lang", "en"}}, document).text() + "\n";
}

}  // namespace antaeus
