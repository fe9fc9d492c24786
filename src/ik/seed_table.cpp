#include "ik/seed_table.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstring>
#include <deque>
#include <mutex>

#include "ik/forward.hpp"

namespace antaeus::detail {

namespace {

constexpr double kTurn = 2.0 * M_PI;
/// What the empty slot of a cell holds as its radius: no target is that far.
constexpr float kNowhere = 1e9F;

/// One sample as it is filed: where the last axis lies but for the first joint's motion.
struct Sample {
  double place[2];           ///< radius and height; x and y across a rail [m]
  double first;              ///< azimuth [rad]; along the rail [m]
  double axis[3], front[3];  ///< in the plane of the azimuth
};

struct Filing {
  SeedGrid grid;
  std::vector<float> data;
  std::vector<std::uint8_t> filled;

  Filing(int dimensions, std::array<int, 4> cells, std::array<double, 4> low, std::array<double, 4> high, int joints) {
    grid.dimensions = dimensions;
    grid.joints = joints;
    grid.fields = joints + (dimensions == 4 ? 9 : 3);
    std::size_t count = 1;
    for (int d = 0; d < dimensions; ++d) {
      grid.cells[d] = cells[d];
      grid.low[d] = low[d];
      grid.per_unit[d] = cells[d] / std::max(high[d] - low[d], 1e-9);
      count *= static_cast<std::size_t>(cells[d]);
    }
    data.assign(count * static_cast<std::size_t>(grid.fields) * kCellEntries, 0.0F);
    filled.assign(count, 0);
  }

  float* cell(std::size_t index) { return data.data() + index * static_cast<std::size_t>(grid.fields) * kCellEntries; }

  void file(const double* key, const double* q, const Sample& sample) {
    std::size_t index = 0;
    for (int d = 0; d < grid.dimensions; ++d) {
      const int at = std::clamp(static_cast<int>((key[d] - grid.low[d]) * grid.per_unit[d]), 0, grid.cells[d] - 1);
      index = index * static_cast<std::size_t>(grid.cells[d]) + static_cast<std::size_t>(at);
    }
    std::uint8_t& used = filled[index];
    if (used == kCellEntries) return;
    float* fields = cell(index) + used++;
    const auto put = [&](int field, double value) { fields[field * kCellEntries] = static_cast<float>(value); };
    for (int i = 0; i < grid.joints; ++i) put(i, q[i]);
    put(grid.joints, sample.place[0]);
    put(grid.joints + 1, sample.place[1]);
    put(grid.joints + 2, sample.first);
    if (grid.dimensions < 4) return;
    for (int i = 0; i < 3; ++i) {
      put(grid.joints + 3 + i, sample.axis[i]);
      put(grid.joints + 6 + i, sample.front[i]);
    }
  }

  /// Empty slots are marked, and empty cells copy the nearest filled one: as the crow flies through neighbours.
  void fill_gaps() {
    std::deque<std::size_t> front;
    for (std::size_t c = 0; c < filled.size(); ++c) {
      for (int e = filled[c]; e < kCellEntries; ++e) cell(c)[grid.joints * kCellEntries + e] = kNowhere;
      if (filled[c]) front.push_back(c);
    }
    std::vector<std::uint8_t> done(filled.size(), 0);
    for (const std::size_t c : front) done[c] = 1;
    while (!front.empty()) {
      const std::size_t c = front.front();
      front.pop_front();
      std::size_t stride = 1;
      for (int d = grid.dimensions - 1; d >= 0; --d) {
        const auto size = static_cast<std::size_t>(grid.cells[d]);
        const std::size_t at = c / stride % size;
        const bool around = d == 3;  // the azimuth closes
        for (const bool up : {false, true}) {
          if (!around && (up ? at + 1 == size : at == 0)) continue;
          const std::size_t to = up ? (at + 1) % size : (at + size - 1) % size;
          const std::size_t other = c + (to - at) * stride;
          if (done[other]) continue;
          done[other] = 1;
          std::copy_n(cell(c), static_cast<std::size_t>(grid.fields) * kCellEntries, cell(other));
          front.push_back(other);
        }
        stride *= size;
      }
    }
  }
};

Sample sample_of(bool rail, const lanes::Vec3<double>& at, const lanes::Vec3<double>& axis,
                 const lanes::Vec3<double>& front) {
  Sample sample{};
  double c = 1.0, s = 0.0;
  if (rail) {
    sample.place[0] = at.x;
    sample.place[1] = at.y;
    sample.first = at.z;
  } else {
    sample.place[0] = std::hypot(at.x, at.y);
    sample.place[1] = at.z;
    // Where the line meets the first axis, its own azimuth stands in.
    sample.first = sample.place[0] > 1e-6 ? lanes::angle_of(at.y, at.x) : lanes::angle_of(axis.y, axis.x);
    c = std::cos(sample.first);
    s = std::sin(sample.first);
  }
  const auto turned = [&](const lanes::Vec3<double>& v, double* into) {
    into[0] = c * v.x + s * v.y;
    into[1] = c * v.y - s * v.x;
    into[2] = v.z;
  };
  turned(axis, sample.axis);
  turned(front, sample.front);
  return sample;
}

void build(const ChainNumbers& chain, int samples, SeedTable& table) {
  const int n = chain.joints;
  for (int i = 0; i < n; ++i) {
    const double range = chain.upper[i] - chain.lower[i];
    if (!chain.prismatic[i] && !(range < kTurn)) {
      const double middle = 0.5 * (chain.lower[i] + chain.upper[i]);
      table.from[i] = (std::isfinite(middle) ? middle : 0.0) - M_PI;
      table.span[i] = kTurn;
    } else if (std::isfinite(range)) {
      table.from[i] = chain.lower[i];
      table.span[i] = range;
    } else {  // a slide without an end: a metre either side of zero, or from its one end
      table.from[i] = std::isfinite(chain.lower[i]) ? chain.lower[i] : std::min(chain.upper[i], 1.0) - 2.0;
      table.span[i] = 2.0;
    }
  }
  low_discrepancy_steps(n, table.steps);
  if (n < 3 || chain.prismatic[n - 1]) return;
  const bool rail = chain.prismatic[0];

  // Joints between, then all but the first.
  for (const bool pose : {true, false}) {
    const int joints = pose ? n - 2 : n - 1;
    double steps[kMaxJoints];
    low_discrepancy_steps(joints, steps);
    double q[kMaxJoints] = {};
    std::vector<Sample> kept(static_cast<std::size_t>(samples));
    Eigen::Array<float, Eigen::Dynamic, 1> positions(Eigen::Index{samples} * joints);
    double low[2] = {HUGE_VAL, HUGE_VAL}, high[2] = {-HUGE_VAL, -HUGE_VAL};
    for (int s = 0; s < samples; ++s) {
      for (int i = 0; i < joints; ++i) {
        const double share = 0.5 + (s + 1) * steps[i];
        q[i + 1] = table.from[i + 1] + (share - std::floor(share)) * table.span[i + 1];
        positions[Eigen::Index{s} * joints + i] = static_cast<float>(q[i + 1]);
      }
      lanes::Forward<double, 0> now;
      lanes::forward(chain, q, now);
      // Of a pose the point of the last axis nearest to F, of a position F itself.
      const lanes::Vec3<double> on_axis = now.p - chain.tool[0] * now.x - chain.tool[1] * now.y;
      const Sample sample = sample_of(rail, pose ? on_axis : now.p, now.z, now.x);
      kept[static_cast<std::size_t>(s)] = sample;
      for (int k = 0; k < 2; ++k) {
        low[k] = std::min(low[k], sample.place[k]);
        high[k] = std::max(high[k], sample.place[k]);
      }
    }
    for (int k = 0; k < 2; ++k) {
      table.low[k] = pose ? low[k] : std::min(table.low[k], low[k]);
      table.high[k] = pose ? high[k] : std::max(table.high[k], high[k]);
    }
    Filing filing(pose ? 4 : 2, pose ? std::array{10, 14, 8, 10} : std::array{24, 36, 1, 1},
                  {rail ? low[0] : 0.0, low[1], -1.0, -M_PI}, {high[0], high[1], 1.0, M_PI}, joints);
    for (int s = 0; s < samples; ++s) {
      const Sample& sample = kept[static_cast<std::size_t>(s)];
      const double key[4] = {sample.place[0], sample.place[1], sample.axis[2],
                             lanes::angle_of(sample.axis[1], sample.axis[0])};
      const float* from = positions.data() + Eigen::Index{s} * joints;
      for (int i = 0; i < joints; ++i) q[i] = from[i];
      filing.file(key, q, sample);
    }
    filing.fill_gaps();
    auto& data = pose ? table.pose_data : table.position_data;
    data = std::move(filing.data);
    (pose ? table.pose : table.position) = filing.grid;
  }
  table.pose.data = table.pose_data.data();
  table.position.data = table.position_data.data();
  table.bytes = sizeof(float) * (table.pose_data.size() + table.position_data.size());
}

/// Whether two chains have the same numbers, bit by bit.
bool same(const ChainNumbers& a, const ChainNumbers& b) {
  if (a.joints != b.joints) return false;
  const auto equal = [](const double* x, const double* y, int count) {
    return std::memcmp(x, y, sizeof(double) * static_cast<std::size_t>(count)) == 0;
  };
  for (int i = 0; i < a.joints; ++i) {
    const ChainLink &l = a.links[i], &m = b.links[i];
    const double x[7] = {l.angle, l.offset, l.length, l.cos_twist, l.sin_twist, l.cos_tilt, l.sin_tilt};
    const double y[7] = {m.angle, m.offset, m.length, m.cos_twist, m.sin_twist, m.cos_tilt, m.sin_tilt};
    if (a.prismatic[i] != b.prismatic[i] || !equal(x, y, 7)) return false;
  }
  return equal(a.lower, b.lower, a.joints) && equal(a.upper, b.upper, a.joints) && equal(a.tool, b.tool, 2);
}

}  // namespace

void low_discrepancy_steps(int d, double* steps) {
  double g = 2.0;  // the root above 1 of g^(d+1) = g + 1
  for (int k = 0; k < 60; ++k) g = std::pow(1.0 + g, 1.0 / (d + 1));
  double step = 1.0;
  for (int i = 0; i < d; ++i) steps[i] = step /= g;
}

std::shared_ptr<const SeedTable> seed_table(const ChainNumbers& chain, int samples) {
  struct Kept {
    ChainNumbers chain;
    int samples;
    std::weak_ptr<const SeedTable> table;
  };
  static std::mutex guard;
  static std::vector<Kept> tables;
  const std::lock_guard lock(guard);
  std::erase_if(tables, [](const Kept& kept) { return kept.table.expired(); });
  for (const Kept& kept : tables) {
    if (kept.samples != samples || !same(kept.chain, chain)) continue;
    if (auto table = kept.table.lock()) return table;
  }
  const auto begin = std::chrono::steady_clock::now();
  auto table = std::make_shared<SeedTable>();
  build(chain, samples, *table);
  table->build_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  tables.push_back({chain, samples, table});
  return table;
}

}  // namespace antaeus::detail
