#pragma once
/// \file
/// Numbers as text. Nothing else in the library formats a number, so none depends on the locale or on a buffer's size.

#include <string>

#include "antaeus/core/api.hpp"

namespace antaeus {

/// The shortest decimal text that reads back as the same double ("nan", "inf", "-inf" for the rest).
ANTAEUS_API std::string shortest_text(double value);
/// The same, behind \p text.
ANTAEUS_API void append_shortest(std::string& text, double value);

/// As printf's %.<digits>g, %.<digits>f and %.<digits>e write it; no NaN has a sign.
ANTAEUS_API std::string significant_text(double value, int digits);
ANTAEUS_API std::string fixed_text(double value, int digits);
ANTAEUS_API std::string scientific_text(double value, int digits);

/// The number that \p digits significant digits leave of it.
ANTAEUS_API double rounded_to(double value, int digits);

/// "2.50" becomes "2.5", "3.00" becomes "3"; what has no point stays.
ANTAEUS_API std::string without_end_zeros(std::string text);
/// "⁻¹²"
ANTAEUS_API std::string raised_text(int number);

/// As a page shows it: \p digits after the point, minus sign U+2212, "–" for NaN and infinity.
ANTAEUS_API std::string display_number(double value, int digits);
/// How many digits after the point show three significant ones; two below 0.01, so that 0.00003 is not shown as zero.
ANTAEUS_API int display_digits(double value);

}  // namespace antaeus
