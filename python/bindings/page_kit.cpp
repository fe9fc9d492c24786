// Pages of a caller's own: sections with text, tables and figures, as the pages of results have them.
#include <cmath>
#include <utility>
#include <vector>

#include "antaeus/core/enumeration.hpp"
#include "antaeus/core/error.hpp"
#include "antaeus/draw/figure.hpp"
#include "antaeus/report/page.hpp"
#include "convert.hpp"
#include "shown_page.hpp"

namespace antaeus::python {

namespace {

// Prose --------------------------------------------------------------------------------------------------------------

constexpr const char* kProse = "str, a number, (text, address), or a list of these";

bool is_link(nb::handle value) {
  return nb::isinstance<nb::tuple>(value) && nb::len(value) == 2 && nb::isinstance<nb::str>(value[0]) &&
         nb::isinstance<nb::str>(value[1]);
}

Prose::Piece piece_from(nb::handle value, const char* place) {
  if (nb::isinstance<nb::str>(value)) return nb::cast<std::string>(value);
  if (is_link(value)) return Link{nb::cast<std::string>(value[0]), nb::cast<std::string>(value[1])};
  if (PyLong_Check(value.ptr()) && !PyBool_Check(value.ptr())) {
    return nb::cast<std::string>(nb::str(value));  // all its digits
  }
  // Also NumPy's numbers.
  if (!PyBool_Check(value.ptr()) && PyNumber_Check(value.ptr()) && !nb::isinstance<nb::tuple>(value)) {
    const double number = PyFloat_AsDouble(value.ptr());
    if (!(number == -1.0 && PyErr_Occurred())) return Quantity{number};
    PyErr_Clear();
  }
  const std::string type = nb::cast<std::string>(nb::str(value.type().attr("__name__")));
  throw OptionsError(place, "a " + type + " is no text", std::string("give ") + kProse);
}

Prose prose_from(nb::handle value, const char* place) {
  Prose prose;
  if (nb::isinstance<nb::list>(value)) {
    for (const nb::handle piece : nb::borrow<nb::list>(value)) prose << piece_from(piece, place);
  } else {
    prose << piece_from(value, place);
  }
  return prose;
}

// Figures ------------------------------------------------------------------------------------------------------------

std::vector<double> numbers_from(const ArrayArgument& given, const char* place, const char* name) {
  const auto values = as_vector(given, place, name);
  return {values.begin(), values.end()};
}

/// The panel that is being filled.
Panel& last_panel(Figure& figure, const char* place) {
  if (figure.panels.empty()) throw OptionsError(place, "the figure has no panel yet", "call panel() before");
  return figure.panels.back();
}

void add_curve(Figure& self, const ArrayArgument& x, const ArrayArgument& y, std::string label, std::string_view tone,
               bool joined) {
  constexpr const char* kPlace = "Figure.curve";
  Style style{.tone = parse_enum<Tone>(tone, kPlace)};
  if (!joined) style.marker = Marker::circle;
  last_panel(self, kPlace)
      .curves.push_back({std::move(label), numbers_from(x, kPlace, "x"), numbers_from(y, kPlace, "y"), style,
                         joined ? Curve::Join::lines : Curve::Join::none});
}

void add_ribbon(Figure& self, const ArrayArgument& x, const ArrayArgument& low, const ArrayArgument& high,
                std::string label, std::string_view tone) {
  constexpr const char* kPlace = "Figure.ribbon";
  last_panel(self, kPlace)
      .ribbons.push_back({std::move(label),
                          numbers_from(x, kPlace, "x"),
                          numbers_from(low, kPlace, "low"),
                          numbers_from(high, kPlace, "high"),
                          {.tone = parse_enum<Tone>(tone, kPlace)}});
}

void add_bars(Figure& self, std::vector<std::string> names, const ArrayArgument& values, std::string label,
              std::string_view tone, std::vector<std::string> notes) {
  constexpr const char* kPlace = "Figure.bars";
  Panel& panel = last_panel(self, kPlace);
  const auto count = static_cast<Eigen::Index>(names.size());
  Bars bars{std::move(label), {}, {.tone = parse_enum<Tone>(tone, kPlace)}, std::move(notes)};
  const auto read = as_vector(values, kPlace, "values", count);
  bars.values.assign(read.begin(), read.end());
  if (!panel.bars.empty() && panel.categories != names) {
    throw OptionsError(kPlace, "the bars of one panel have the same names",
                       "give those of the first, or begin a panel");
  }
  panel.categories = std::move(names);
  panel.horizontal_bars = panel.value_labels = true;
  panel.bars.push_back(std::move(bars));
}

void add_intervals(Figure& self, const ArrayArgument& at, const ArrayArgument& low, const ArrayArgument& high,
                   std::string_view tone, bool upright) {
  constexpr const char* kPlace = "Figure.intervals";
  Panel& panel = last_panel(self, kPlace);
  const std::vector<double> places = numbers_from(at, kPlace, "at");
  const auto size = static_cast<Eigen::Index>(places.size());
  const auto from = as_vector(low, kPlace, "low", size), to = as_vector(high, kPlace, "high", size);
  for (Eigen::Index i = 0; i < size; ++i) {
    const std::vector<double> ends = {from[i], to[i]},
                              place = {places[static_cast<std::size_t>(i)], places[static_cast<std::size_t>(i)]};
    panel.shapes.push_back({.kind = DrawnShape::Kind::line,
                            .x = upright ? place : ends,
                            .y = upright ? ends : place,
                            .style = {.tone = parse_enum<Tone>(tone, kPlace), .width = 1.2}});
  }
}

void add_dots(Figure& self, const ArrayArgument& x, const ArrayArgument& y, const ArrayArgument& sizes,
              std::string_view tone) {
  constexpr const char* kPlace = "Figure.dots";
  Panel& panel = last_panel(self, kPlace);
  const auto xs = as_vector(x, kPlace, "x");
  const auto ys = as_vector(y, kPlace, "y", xs.size()), widths = as_vector(sizes, kPlace, "sizes", xs.size());
  for (Eigen::Index i = 0; i < xs.size(); ++i) {
    if (!(widths[i] > 0) || !std::isfinite(widths[i])) continue;
    panel.shapes.push_back({.kind = DrawnShape::Kind::dot,
                            .x = {xs[i]},
                            .y = {ys[i]},
                            .style = {.tone = parse_enum<Tone>(tone, kPlace), .width = widths[i]}});
  }
}

void bind_figure(nb::module_& module) {
  std::string doc =
      "A figure as data, drawn as one SVG for light, dark and print. What is added stands in the panel that was begun "
      "last. NaN is a gap. Lengths are in px, other numbers in the unit that the axis's label names. Tones:";
  for (const std::string& tone : all_names<Tone>()) doc += (doc.ends_with(':') ? " " : ", ") + tone;
  nb::class_<Figure>(module, "Figure", (doc + ".").c_str())
      .def(
          "__init__",
          [](Figure* self, std::string id, std::string title, std::string description, int columns, double width,
             double panel_height) {
            new (self)
                Figure{std::move(id), std::move(title), std::move(description), {}, columns, width, panel_height};
          },
          "id"_a, "title"_a, nb::kw_only(), "description"_a = "", "columns"_a = 1, "width"_a = 760.0,
          "panel_height"_a = 200.0,
          "id: [a-z0-9-], unique in a page; Error when it is drawn with another. description: what it shows, for "
          "readers who cannot see it. columns: of panels. width, panel_height: px.")
      .def_prop_ro(
          "id", [](const Figure& self) { return self.id; }, "Its anchor in a page.")
      .def_prop_ro(
          "title", [](const Figure& self) { return self.title; }, "What stands above it.")
      .def(
          "panel",
          [](Figure& self, std::string title, std::string x, std::string y, std::vector<std::string> lanes,
             bool logarithmic, bool from_zero, double height) {
            Panel panel;
            panel.title = std::move(title);
            panel.x.label = std::move(x);
            panel.y.label = std::move(y);
            panel.y.names = std::move(lanes);
            panel.height = height;
            Axis& values = panel.y.names.empty() ? panel.y : panel.x;
            values.logarithmic = logarithmic;
            values.include_zero = from_zero;
            self.panels.push_back(std::move(panel));
          },
          "title"_a = "", "x"_a = "", "y"_a = "", nb::kw_only(), "lanes"_a = nb::list(), "logarithmic"_a = false,
          "from_zero"_a = false, "height"_a = 0.0,
          "Begins a panel. x, y: labels, with the unit in brackets. lanes: names along y in place of numbers, the i-th "
          "at y = i. logarithmic, from_zero: of the axis with values, which is y, or x where there are lanes. height: "
          "px, 0 for the figure's. Error when it is drawn with other numbers of x and y.")
      .def("curve", &add_curve, "x"_a, "y"_a, "label"_a = "", nb::kw_only(), "tone"_a = "blue", "joined"_a = true,
           "Points (x, y), each [N]: a line through them, or circles. OptionsError for an unknown tone.")
      .def("ribbon", &add_ribbon, "x"_a, "low"_a, "high"_a, "label"_a = "", nb::kw_only(), "tone"_a = "blue",
           "A strip between low and high over x, each [N]. OptionsError for an unknown tone.")
      .def(
          "bars", &add_bars, "names"_a, "values"_a, "label"_a = "", nb::kw_only(), "tone"_a = "blue",
          "notes"_a = nb::list(),
          "A bar a name, downwards, of values [N]; each ends in its value, or in its note. OptionsError for an unknown "
          "tone, and for other names than those of the panel's first bars.")
      .def("intervals", &add_intervals, "at"_a, "low"_a, "high"_a, nb::kw_only(), "tone"_a = "ink", "upright"_a = false,
           "A thin line from low to high at each place, each [N]: lying at y = at, or upright at x = at. OptionsError "
           "for an unknown tone.")
      .def("dots", &add_dots, "x"_a, "y"_a, "sizes"_a, nb::kw_only(), "tone"_a = "blue",
           "Dots at (x, y) with diameters [px], each [N]: a map whose values are areas. OptionsError for an unknown "
           "tone.")
      .def(
          "threshold",
          [](Figure& self, double value, std::string label, bool upright) {
            last_panel(self, "Figure.threshold")
                .thresholds.push_back({.value = value, .vertical = upright, .label = std::move(label)});
          },
          "value"_a, "label"_a = "", nb::kw_only(), "upright"_a = false,
          "A dashed line across the panel, at y = value or upright at x = value. OptionsError without a panel.")
      .def(
          "svg",
          [](const Figure& self) {
            const nb::gil_scoped_release unlocked;
            return draw_figure(self);
          },
          "One <svg> element. Error for an id of other characters, or curves with unequal x and y.")
      .def("__repr__", [](const Figure& self) {
        return "Figure(" + self.title + ": " + std::to_string(self.panels.size()) +
               (self.panels.size() == 1 ? " panel)" : " panels)");
      });
}

// Pages --------------------------------------------------------------------------------------------------------------

/// Where what is added now stands. The pages of logs are whole already.
std::vector<Block>& blocks_of(ShownPage& self, const char* place) {
  if (self.log != nullptr) {
    throw OptionsError(place, "this page is that of a log, and is whole",
                       "make a page of your own: antaeus.Page(title)");
  }
  if (self.page.sections.empty()) throw OptionsError(place, "the page has no section yet", "call section() before");
  return self.page.sections.back().blocks;
}

TableBlock::Row::Mark mark_from(const std::string& mark) {
  using Mark = TableBlock::Row::Mark;
  if (mark.empty()) return Mark::none;
  if (mark == "strong") return Mark::strong;
  if (mark == "failed") return Mark::failed;
  throw OptionsError("page.table", "'" + mark + "' is no mark of a row", "give '', 'strong' or 'failed'");
}

void add_table(ShownPage& self, std::vector<std::string> heads, const nb::iterable& rows, std::string caption,
               const std::vector<std::string>& marks) {
  constexpr const char* kPlace = "page.table";
  TableBlock table{.caption = std::move(caption), .heads = std::move(heads)};
  for (const nb::handle row : rows) {
    TableBlock::Row filled;
    for (const nb::handle cell : nb::borrow<nb::iterable>(row)) filled.cells.push_back(prose_from(cell, kPlace));
    if (filled.cells.size() != table.heads.size()) {
      throw OptionsError(kPlace,
                         "row " + std::to_string(table.rows.size()) + " has " + std::to_string(filled.cells.size()) +
                             " cells, and there are " + std::to_string(table.heads.size()) + " heads",
                         "give a cell a head");
    }
    if (table.rows.size() < marks.size()) filled.mark = mark_from(marks[table.rows.size()]);
    table.rows.push_back(std::move(filled));
  }
  blocks_of(self, kPlace).emplace_back(std::move(table));
}

}  // namespace

void bind_page_kit(nb::module_& module, nb::class_<ShownPage>& page) {
  bind_figure(module);
  page.def(
          "__init__",
          [](ShownPage* self, std::string title, std::string kicker, nb::handle subtitle, std::string badge,
             std::string_view badge_tone, nb::handle summary) {
            Page made{.kicker = std::move(kicker),
                      .title = std::move(title),
                      .badge = std::move(badge),
                      .badge_tone = parse_enum<Tone>(badge_tone, "Page.badge_tone"),
                      .subtitle = prose_from(subtitle, "Page.subtitle")};
            nb::object json;
            try {
              json = nb::module_::import_("json").attr("dumps")(summary, "ensure_ascii"_a = false, "indent"_a = 2,
                                                                "allow_nan"_a = false);
            } catch (const nb::python_error& error) {
              if (!error.matches(PyExc_ValueError)) throw;
              throw OptionsError("Page.summary", "JSON cannot hold NaN, infinity or a value within itself",
                                 "give None or a text");
            }
            new (self) ShownPage{nullptr, std::move(made), nb::cast<std::string>(json)};
          },
          "title"_a, nb::kw_only(), "kicker"_a = "", "subtitle"_a = "", "badge"_a = "", "badge_tone"_a = "muted",
          "summary"_a = nb::dict(),
          nb::sig("def __init__(self, title: str, *, kicker: str = '', subtitle: typing.Any = '', badge: str = '', "
                  "badge_tone: str = 'muted', summary: dict[str, typing.Any] = {}) -> None"),
          "A page to fill: answers, then sections, each with what is added after it. Texts are plain, and may be a "
          "str, "
          "a number (three digits, no unit), a link (text, address), or a list of these in a row; they escape "
          "themselves. kicker: above the title. badge: one or two words beside it. summary: saved as .json. "
          "OptionsError for NaN in it and for an unknown badge_tone.")
      .def(
          "answer",
          [](ShownPage& self, std::string question, const nb::args& paragraphs) {
            if (self.log != nullptr) blocks_of(self, "page.answer");
            Answer answer{.question = std::move(question)};
            for (const nb::handle text : paragraphs) answer.paragraphs.push_back({prose_from(text, "page.answer")});
            self.page.answers.push_back(std::move(answer));
          },
          "question"_a, "paragraphs"_a, nb::sig("def answer(self, question: str, *paragraphs: typing.Any) -> None"),
          "A question of the reader's with its answer, above everything else. OptionsError for what is no text.")
      .def(
          "section",
          [](ShownPage& self, std::string id, std::string title, bool folded) {
            if (self.log != nullptr) blocks_of(self, "page.section");
            self.page.sections.push_back(
                {.id = std::move(id), .title = std::move(title), .blocks = {}, .folded = folded});
          },
          "id"_a, "title"_a, nb::kw_only(), "folded"_a = false,
          "Begins a section. id: its anchor, [a-z0-9-], unique; saving raises Error for another. folded: closed on the "
          "screen, open in print.")
      .def(
          "text",
          [](ShownPage& self, nb::handle text, bool quiet) {
            blocks_of(self, "page.text").emplace_back(Paragraph{prose_from(text, "page.text"), quiet});
          },
          nb::arg("text").none(), nb::kw_only(), "quiet"_a = false,
          nb::sig("def text(self, text: typing.Any, *, quiet: bool = False) -> None"),
          "A paragraph; quiet: smaller and grey. OptionsError for what is no text.")
      .def(
          "bullets",
          [](ShownPage& self, const nb::iterable& items) {
            Bullets list;
            for (const nb::handle item : items) list.items.push_back({prose_from(item, "page.bullets")});
            blocks_of(self, "page.bullets").emplace_back(std::move(list));
          },
          "items"_a, nb::sig("def bullets(self, items: collections.abc.Iterable[typing.Any]) -> None"),
          "A list, an item a text. OptionsError for what is no text.")
      .def("table", &add_table, "heads"_a, "rows"_a, "caption"_a = "", nb::kw_only(), "marks"_a = nb::list(),
           nb::sig("def table(self, heads: collections.abc.Sequence[str], rows: "
                   "collections.abc.Iterable[collections.abc.Iterable[typing.Any]], caption: str = '', *, marks: "
                   "collections.abc.Sequence[str] = []) -> None"),
           "A table; a head that begins with '#' is that of a column of numbers. marks: a row's, 'strong' or 'failed'. "
           "Without rows nothing stands there. OptionsError for a row of another length.")
      .def(
          "figure",
          [](ShownPage& self, const Figure& figure, std::string caption) {
            NamedFigure drawn{figure.id, figure.title, std::move(caption), draw_figure(figure)};
            blocks_of(self, "page.figure").emplace_back(Figures{{std::move(drawn)}});
          },
          "figure"_a, "caption"_a = "",
          "A figure, drawn as it stands now, with a caption below. Error as for Figure.svg.")
      .def(
          "command",
          [](ShownPage& self, std::string line) {
            blocks_of(self, "page.command").emplace_back(CodeLine{std::move(line)});
          },
          "line"_a, "A line that can be copied and run. OptionsError without a section.");
}

}  // namespace antaeus::python
