/// \file
/// Arbitrary bytes as what `--set` takes: a setting that is kept stands in its group's range, all others are refused in
/// one line.

#include "antaeus/contact/contact_demand.hpp"
#include "antaeus/core/error.hpp"
#include "antaeus/core/settings.hpp"
#include "antaeus/estimation/residual.hpp"
#include "antaeus/identification/moving/moving_fit.hpp"
#include "antaeus/ik/reach.hpp"
#include "fuzz/fuzz_target.hpp"

std::vector<std::string> antaeus::fuzz::seeds() {
  return {"posterior.force_prior=30",
          "residual.kind=automatic",
          "residual.cut_off=1e1",
          "moving_fit.friction=false",
          "moving_fit.most_rows=5000",
          "ik.table_samples=1",
          "contact.smoothing=0.5",
          "replay.threads=2",
          "guard.low=nan",
          "posterior.rows=all",
          "=",
          "a.b=c",
          "posterior.force_prior=\xff",
          "moving_fit.window=-0x1p-3"};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace antaeus;
  const std::string text(reinterpret_cast<const char*>(data), size);
  Settings settings;
  try {
    settings.set(text);
    fuzz::require(settings.all().size() == 1);
  } catch (const Error& error) {
    const std::string_view told = error.what();
    fuzz::require(!told.empty() && told.find('\n') == std::string_view::npos);
    fuzz::require(settings.all().empty());
    return 0;
  }
  fuzz::accept();
  try {
    const auto moving = settings.get<MovingFitOptions>();
    fuzz::require(moving.window > 0.0 && moving.most_rows >= 1000);
    const auto residual = settings.get<ResidualOptions>();
    fuzz::require(!(residual.cut_off < 0.0));
    static_cast<void>(settings.get<ContactOptions>());
    static_cast<void>(settings.get<ReachOptions>());
  } catch (const Error&) {
  }
  return 0;
}
