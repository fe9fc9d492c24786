#pragma once
// The parts of the page of a motion's contacts.
#include <functional>
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
/// The channels of a motion that comes in blocks, which read the block that \p reading turns to; for finish_views.
Views contact_views_to_be(const std::shared_ptr<const ContactReading>& reading,
                          std::shared_ptr<const MeshFiles> meshes);
/// What hangs on all frames. \param any  whether a channel has a number
void finish_views(Views& views, const ContactReading& whole, const std::function<bool(ChannelId)>& any);
/// Where the cursor stands at first.
struct Focus {
  const char* name = "";
  Eigen::Index row = -1;
};
Focus focus_of(const ContactFigures& figures, const ContactResult& result);

}  // namespace antaeus::detail
