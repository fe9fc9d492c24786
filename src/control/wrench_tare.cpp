#include "antaeus/control/wrench_tare.hpp"

#include "core/computable.hpp"

namespace antaeus {

Status WrenchTare::add(const Wrench& measured) noexcept {
  if (!is_computable(measured.force) || !is_computable(measured.torque)) return Status::not_finite;
  sum_ += measured.to_vector();
  ++count_;
  return Status::ok;
}

Wrench WrenchTare::offset() const noexcept { return Wrench::from_vector(count_ > 0 ? Vector6(sum_ / count_) : sum_); }

Wrench WrenchTare::tared(const Wrench& measured) const noexcept {
  return Wrench::from_vector(measured.to_vector() - offset().to_vector());
}

}  // namespace antaeus
