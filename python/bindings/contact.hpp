#pragma once
#include "antaeus/contact/contact_motion.hpp"
#include "convert.hpp"

namespace antaeus::python {

/// The arrays of a motion by their names in files. \throws EpisodeError for a name or shape that no motion has
ContactMotion contact_motion_of(const nb::dict& arrays);

}  // namespace antaeus::python
