#pragma once
// The parts of the page of a motion's contacts.
#include <memory>
#include <vector>

#include "antaeus/contact/contact_result.hpp"
#include "antaeus/report/pages.hpp"
#include "contact/contact_reading.hpp"

namespace antaeus::detail {

/// "step 8 (0.16 s)", the step as a link.
void add_step(Prose& text, const ContactReading& reading, Eigen::Index step);

// contact_tables.cpp
std::vector<Section> contact_sections(const ContactReading& reading);
// contact_views.cpp
Views contact_views(const std::shared_ptr<const ContactReading>& reading, std::shared_ptr<const MeshFiles> meshes);

}  // namespace antaeus::detail
