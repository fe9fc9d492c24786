#pragma once
/// \file
/// A page of Python's, whoever filled it: `antaeus.show` with a log, or a caller block by block.

#include <memory>
#include <string>

#include "antaeus/episode/raw_log.hpp"
#include "antaeus/report/page.hpp"
#include "convert.hpp"

namespace antaeus::python {

struct ShownPage {
  std::shared_ptr<const RawLog> log;  ///< that its views read; null where it has none
  Page page;
  std::string summary;  ///< JSON
};

/// antaeus.Figure, and what fills an antaeus.Page block by block.
void bind_page_kit(nb::module_& module, nb::class_<ShownPage>& page);

}  // namespace antaeus::python
