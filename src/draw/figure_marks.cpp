#include "draw/figure_marks.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "antaeus/core/error.hpp"
#include "antaeus/core/messages.hpp"
#include "antaeus/core/number_text.hpp"
#include "core/utf8.hpp"
#include "io/text.hpp"

namespace antaeus {

namespace detail {

std::string coordinate(double value) {
  const std::string text = without_end_zeros(fixed_text(value, 2));
  return text == "-0" ? "0" : text;
}

double text_width(std::string_view text, double size) {
  double width = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xC0u) == 0x80u) continue;  // continuation of a UTF-8 character
    const bool narrow = std::string_view("iljtfrI.,:;|!'()[] ").find(c) != std::string_view::npos;
    const bool wide = std::string_view("mwMWGOQ@%").find(c) != std::string_view::npos;
    width += narrow ? 0.36 : wide ? 0.9 : 0.63;
  }
  return width * size;
}

std::string power_of_ten(double value, int digits) {
  if (std::abs(value * std::pow(10.0, digits) - 1.0) > 1e-6) return display_number(value, digits);
  return "10" + raised_text(-digits);
}

std::string_view style_sheet() {
  // Light is the default, the reader's scheme comes next, a page's data-theme wins over it, paper is always light.
  static const std::string sheet = [] {
    const std::string light =
        "--f-paper:#ffffff;--f-ink:#1c2024;--f-soft:#565d66;--f-grid:#e3e6ea;--f-band:#e9f3ee;"
        "--f-blue:#0072b2;--f-vermillion:#c95400;--f-green:#00875f;--f-purple:#b4588c;--f-orange:#b67d00;"
        "--f-sky:#2f86b8;--f-muted:#7b838c";
    const std::string dark =
        "--f-paper:#15181c;--f-ink:#e8eaed;--f-soft:#b3bac2;--f-grid:#2e343b;--f-band:#1b2f28;"
        "--f-blue:#4aa3dd;--f-vermillion:#f07c32;--f-green:#2dbd92;--f-purple:#d98cb3;--f-orange:#e69f00;"
        "--f-sky:#8fd0f5;--f-muted:#858d96";
    std::string css =
        ".antaeus-figure{" + light + ";font:12px system-ui,'Segoe UI',Helvetica,Arial,sans-serif;" +
        "color-scheme:light dark;max-width:100%;height:auto}" + "@media (prefers-color-scheme:dark){.antaeus-figure{" +
        dark + "}}" + "[data-theme=light] .antaeus-figure{" + light + "}[data-theme=dark] .antaeus-figure{" + dark +
        "}@media print{.antaeus-figure,[data-theme] .antaeus-figure{" + light + "}}" +
        ".antaeus-figure .paper{fill:var(--f-paper)}.antaeus-figure text{fill:var(--f-ink)}" +
        ".antaeus-figure .soft{fill:var(--f-soft);font-size:11px}" +
        ".antaeus-figure .head{font-weight:600;font-size:12.5px}.antaeus-figure .strong{font-weight:600}" +
        ".antaeus-figure .grid{stroke:var(--f-grid);stroke-width:1;fill:none}" +
        ".antaeus-figure .axis{stroke:var(--f-soft);stroke-width:1;fill:none}" +
        ".antaeus-figure .band{fill:var(--f-band)}.antaeus-figure .ribbon{fill-opacity:.2;stroke-width:.75;" +
        "stroke-opacity:.6}" + ".antaeus-figure .line{fill:none;stroke-linejoin:round;stroke-linecap:butt}" +
        ".antaeus-figure .halo{paint-order:stroke;stroke:var(--f-paper);stroke-width:5px;stroke-linejoin:round}";
    for (const char* tone : {"blue", "vermillion", "green", "purple", "orange", "sky", "ink", "muted"}) {
      const std::string name = tone;
      css += ".antaeus-figure .t-" + name + "{stroke:var(--f-" + name + ")}.antaeus-figure .f-" + name +
             "{fill:var(--f-" + name + ");stroke:var(--f-" + name + ")}";
    }
    return css;
  }();
  return sheet;
}

std::string_view tone_class(Tone tone) { return to_string(tone); }

std::string_view dash_array(Dash dash) {
  constexpr std::array<std::string_view, 6> kArrays = {"", "6 3", "2 2.5", "8 3 2 3", "12 4", "8 2 2 2 2 2"};
  return kArrays[static_cast<std::size_t>(dash)];
}

std::string_view marker_path(Marker marker) {
  constexpr std::array<std::string_view, 6> kPaths = {"",
                                                      "M-3.6 0a3.6 3.6 0 1 0 7.2 0a3.6 3.6 0 1 0-7.2 0z",
                                                      "M-3.2-3.2h6.4v6.4h-6.4z",
                                                      "M0-4.2l4 7.2h-8z",
                                                      "M0-4.4l4.2 4.4l-4.2 4.4l-4.2-4.4z",
                                                      "M-4-1.2h2.8v-2.8h2.4v2.8h2.8v2.4h-2.8v2.8h-2.4v-2.8h-2.8z"};
  return kPaths[static_cast<std::size_t>(marker)];
}

double Scale::at(double value) const {
  const double low = logarithmic ? std::log10(minimum) : minimum;
  const double high = logarithmic ? std::log10(maximum) : maximum;
  const double place = logarithmic ? std::log10(value) : value;
  // A value far outside would need more digits than a viewer holds; the clip path cuts it anyway.
  return from + std::clamp((place - low) / (high - low), -20.0, 20.0) * (to - from);
}

bool Scale::holds(double value) const { return std::isfinite(value) && (!logarithmic || value > 0); }

Scale Range::scale(double margin, double headroom) const {
  double low = low_, high = high_;
  if (!(low <= high)) low = axis_.logarithmic ? 1.0 : 0.0, high = axis_.logarithmic ? 10.0 : 1.0;
  if (axis_.logarithmic) {
    if (low == high) low /= 2, high *= 2;
    const double factor = std::pow(high / low, margin);
    low /= factor, high *= factor * std::pow(high / low, headroom);
  } else {
    if (low == high) low -= std::max(0.5, std::abs(low) * 0.1), high += std::max(0.5, std::abs(high) * 0.1);
    const double extra = margin * (high - low);
    if (!(on_zero_ && low == 0.0)) low -= extra;
    if (!(on_zero_ && high == 0.0)) high += extra;
    high += headroom * (high - low);
  }
  if (std::isfinite(axis_.minimum)) low = axis_.minimum;
  if (std::isfinite(axis_.maximum)) high = axis_.maximum;
  if (!(low < high)) high = low + 1;
  Scale scale;
  scale.minimum = low;
  scale.maximum = high;
  scale.logarithmic = axis_.logarithmic;
  return scale;
}

void check_figure(const Figure& figure) {
  const std::string place = "figure '" + figure.id + "'";
  const bool named = !figure.id.empty() && std::all_of(figure.id.begin(), figure.id.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
  if (!named) throw Error(place, "an id of other characters than a-z, 0-9 and '-'", "rename it");
  if (figure.columns < 1) throw Error(place, "no columns", "give one or more");
  for (const Panel& panel : figure.panels) {
    for (const Curve& curve : panel.curves) {
      if (curve.x.size() != curve.y.size()) {
        throw Error(place,
                    "curve '" + curve.label + "' has " + std::to_string(curve.x.size()) + " x and " +
                        std::to_string(curve.y.size()) + " y",
                    "give one y for each x");
      }
    }
    for (const Ribbon& ribbon : panel.ribbons) {
      if (ribbon.x.size() != ribbon.low.size() || ribbon.x.size() != ribbon.high.size()) {
        throw Error(place, "ribbon '" + ribbon.label + "' has other numbers of x, low and high",
                    "give one low and one high for each x");
      }
    }
  }
}

std::vector<double> log_ticks(double minimum, double maximum) {
  std::vector<double> ticks;
  if (!(minimum > 0) || !(maximum > minimum) || !std::isfinite(maximum)) return ticks;
  const auto collect = [&](std::initializer_list<double> factors) {
    ticks.clear();
    for (int e = static_cast<int>(std::floor(std::log10(minimum))); e <= std::log10(maximum) + 1e-9; ++e) {
      for (const double factor : factors) {
        const double tick = factor * std::pow(10.0, e);
        if (tick >= minimum * (1 - 1e-9) && tick <= maximum * (1 + 1e-9)) ticks.push_back(tick);
      }
    }
  };
  collect({1.0});
  if (ticks.size() < 3) collect({1.0, 2.0, 5.0});
  return ticks.size() < 3 ? nice_ticks(minimum, maximum, 4) : ticks;
}

}  // namespace detail

Style series_style(std::size_t n, Marker marker) {
  constexpr std::array<Tone, 6> kTones = {Tone::blue,   Tone::vermillion, Tone::green,
                                          Tone::purple, Tone::orange,     Tone::sky};
  constexpr std::array<Dash, 6> kDashes = {Dash::solid,  Dash::dashed,    Dash::dash_dot,
                                           Dash::dotted, Dash::long_dash, Dash::dash_dot_dot};
  // Tone and dash both change from one to the next; after six the pairs are others: 36 before one comes again.
  return {kTones[n % kTones.size()], kDashes[(n + n / kTones.size()) % kDashes.size()], marker};
}

std::vector<double> nice_ticks(double minimum, double maximum, int count) {
  std::vector<double> ticks;
  const double range = maximum - minimum;
  if (!std::isfinite(range) || range <= 0 || count < 1) return ticks;
  const double rough = range / count;
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  const double share = rough / power;
  const double step = power * (share < 1.5 ? 1 : share < 3.5 ? 2 : share < 7.5 ? 5 : 10);
  const auto first = static_cast<long long>(std::ceil(minimum / step - 1e-9));
  const auto last = static_cast<long long>(std::floor(maximum / step + 1e-9));
  for (long long i = first; i <= last && ticks.size() < 1000; ++i) ticks.push_back(static_cast<double>(i) * step);
  return ticks;
}

std::vector<std::size_t> min_max_decimation(const std::vector<double>& y, std::size_t buckets) {
  std::vector<std::size_t> kept;
  const std::size_t size = y.size();
  buckets = std::clamp<std::size_t>(buckets, 1, std::max<std::size_t>(size, 1));
  for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
    const std::size_t begin = bucket * size / buckets, end = (bucket + 1) * size / buckets;
    std::vector<std::size_t> chosen;
    std::size_t least = size, most = size, first = size, last = size;
    for (std::size_t i = begin; i < end; ++i) {
      if (!std::isfinite(y[i])) {
        if (i == 0 || std::isfinite(y[i - 1])) chosen.push_back(i);
        continue;
      }
      if (first == size) first = i;
      last = i;
      if (least == size || y[i] < y[least]) least = i;
      if (most == size || y[i] > y[most]) most = i;
    }
    for (const std::size_t i : {first, least, most, last}) {
      if (i != size) chosen.push_back(i);
    }
    std::sort(chosen.begin(), chosen.end());
    chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
    kept.insert(kept.end(), chosen.begin(), chosen.end());
  }
  return kept;
}

std::string xml_escaped(std::string_view text) {
  std::string safe;
  safe.reserve(text.size());
  const std::string valid = valid_utf8(spelled(text, FrontEnd::command_line));  // names of files may hold any byte
  for (std::size_t at = 0; at < valid.size();) {
    const std::size_t length = utf8_length(valid, at);
    const std::string_view letter(valid.data() + at, length);
    at += length;
    switch (letter.front()) {
      case '&': safe += "&amp;"; continue;
      case '<': safe += "&lt;"; continue;
      case '>': safe += "&gt;"; continue;
      case '"': safe += "&quot;"; continue;
      case '\'': safe += "&#39;"; continue;
      case '\n':
      case '\t': safe += letter; continue;
      default: break;
    }
    // As terminals show them: XML cannot write control characters, and those that turn the direction of what follows
    // would have a page say another name.
    safe += is_steering(utf8_code_point(letter, 0, length)) ? printable(letter) : std::string(letter);
  }
  return safe;
}

}  // namespace antaeus
