#pragma once
/// \file
/// A page as data: what a result tells, shows and lists. `html_page` writes it; nothing here knows a domain.
///
/// A new kind of result gets a page by filling these structs (examples/swinging_arm_page.cpp). All texts are plain:
/// they escape themselves, whatever they hold. Set-up code: allocates.

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/draw/figure.hpp"
#include "antaeus/report/views.hpp"

namespace antaeus {

/// A number as people read it; its unit never breaks from it.
struct Quantity {
  double value = 0.0;
  std::string unit = {};  ///< "N"; empty: none
  int digits = -1;        ///< after the point; negative: three significant digits
};
/// A place on the axis of the page's views, shown by its number: a link that sends the cursor there.
struct StepLink {
  Eigen::Index step = -1;  ///< negative: "never"
};
/// A word with a sign before it that is told by its shape too: a state of a guard.
struct StateWord {
  std::string word = {};
  Tone tone = Tone::muted;
};
struct Strong {
  std::string text = {};
};
/// A link to another page. The address is relative to the page's own folder, or http(s); its special characters are
/// written as %XX, as in any address.
struct Link {
  std::string text = {}, address = {};
};

/// A sentence or more.
class ANTAEUS_API Prose {
 public:
  using Piece = std::variant<std::string, Quantity, StepLink, StateWord, Strong, Link>;
  Prose() = default;
  Prose(std::string text) { *this << std::move(text); }        // NOLINT(google-explicit-constructor): a text is prose
  Prose(const char* text) : Prose(std::string(text)) {}        // NOLINT(google-explicit-constructor)
  Prose(Piece piece) { pieces_.push_back(std::move(piece)); }  // NOLINT(google-explicit-constructor)
  Prose(Quantity quantity) : Prose(Piece(std::move(quantity))) {}  // NOLINT(google-explicit-constructor)
  Prose(StepLink link) : Prose(Piece(link)) {}                     // NOLINT(google-explicit-constructor)
  Prose(StateWord word) : Prose(Piece(std::move(word))) {}         // NOLINT(google-explicit-constructor)
  Prose(Strong strong) : Prose(Piece(std::move(strong))) {}        // NOLINT(google-explicit-constructor)
  Prose(Link link) : Prose(Piece(std::move(link))) {}              // NOLINT(google-explicit-constructor)
  template <class T>
  Prose& operator<<(T&& piece) {
    pieces_.emplace_back(std::forward<T>(piece));
    return *this;
  }
  bool empty() const noexcept { return pieces_.empty(); }
  const std::vector<Piece>& pieces() const noexcept { return pieces_; }

 private:
  std::vector<Piece> pieces_;
};
/// As plain text, for a terminal.
ANTAEUS_API std::string plain_text(const Prose& prose);
/// A text in which every "step 8 (22.609 s)" becomes a link to that step.
ANTAEUS_API Prose linked_steps(std::string_view text);

struct Paragraph {
  Prose text = {};
  bool quiet = false;   ///< smaller and grey: a note
  std::string id = {};  ///< of the statement that it is; empty: none
};
struct Bullets {
  std::vector<Paragraph> items = {};
};
/// Terms, each with what is said of it.
struct Definitions {
  struct Item {
    std::string term = {};
    Prose text = {};
  };
  std::vector<Item> items = {};
};
struct TableBlock {
  std::string caption = {};
  std::vector<std::string> heads = {};  ///< one that begins with '#' is a column of numbers, aligned right
  struct Row {
    std::vector<Prose> cells = {};
    enum class Mark { none, strong, failed } mark = Mark::none;
  };
  std::vector<Row> rows = {};
};
struct Figures {
  std::vector<NamedFigure> figures = {};
};
/// How one thing led to the next: boxes with arrows between them, full where measured and dashed where inferred.
struct Chain {
  struct Node {
    std::string title = {};
    Prose text = {}, place = {};
    bool inferred = false;  ///< the arrow that leads here; the first node has none
    Prose because = {};     ///< beside that arrow
  };
  std::vector<Node> nodes = {};
};
struct Timeline {
  struct Moment {
    Eigen::Index step = 0;
    double time = kNaN;  ///< [s]
    struct Entry {
      Prose text = {};
      Tone tone = Tone::muted;
    };
    std::vector<Entry> entries = {};
  };
  std::vector<Moment> moments = {};
};
/// A line that can be copied and run.
struct CodeLine {
  std::string text = {};
};
/// Where the page's views stand.
struct ViewsPlace {};

struct Block;
/// Columns beside each other, below each other on a narrow page.
struct Columns {
  struct Column {
    std::string title = {}, lead = {};
    std::vector<Block> blocks;
  };
  std::vector<Column> columns;
};
/// What few need: folded on the screen, open in print.
struct Folded {
  std::string title = {};
  std::vector<Block> blocks;
};
struct Block : std::variant<Paragraph, Bullets, Definitions, TableBlock, Figures, Chain, Timeline, CodeLine, ViewsPlace,
                            Columns, Folded> {
  using variant::variant;
};

struct Section {
  std::string id = {};     ///< anchor, [a-z0-9-], unique in a page
  std::string title = {};  ///< also in the table of contents
  std::vector<Block> blocks = {};
  bool folded = false;  ///< as Folded
};

/// A question of the reader's, with its answer, above everything else.
struct Answer {
  std::string question = {};
  std::vector<Paragraph> paragraphs = {};
};

struct Page {
  std::string kicker = {};  ///< above the title: what kind of page this is
  std::string title = {};
  std::string badge = {};  ///< one or two words beside the title; empty: none
  Tone badge_tone = Tone::muted;
  Prose subtitle = {};
  std::vector<Answer> answers = {};
  std::vector<Section> sections = {};
  Views views = {};  ///< shown where a ViewsPlace stands
};

/// The page as UTF-8 text, self-contained: it asks for nothing from the network. The same page gives the same bytes.
/// A section without content is left out. \throws Error for an id of other characters or one that stands twice, and for
/// a link of another scheme than http(s): it could run what a name in a log says
ANTAEUS_API std::string html_page(const Page& page);

}  // namespace antaeus
