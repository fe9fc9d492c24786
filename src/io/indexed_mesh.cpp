#include "io/indexed_mesh.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <utility>

namespace antaeus::detail {

namespace {

using Point = std::array<float, 3>;
using Triangle = std::array<std::uint32_t, 3>;

struct PointHash {
  std::size_t operator()(const Point& point) const noexcept {
    std::uint64_t hash = 0;
    for (const float value : point) {
      hash = (hash ^ std::bit_cast<std::uint32_t>(value)) * 0x9E3779B97F4A7C15ULL;
      hash ^= hash >> 29;
    }
    return static_cast<std::size_t>(hash);
  }
};

bool is_flat(const Triangle& t) { return t[0] == t[1] || t[1] == t[2] || t[2] == t[0]; }

/// Corners merged on a cubic grid of so many cells along the longest edge of the mesh.
IndexedMesh clustered(const IndexedMesh& mesh, int cells) {
  std::array<double, 3> low, high;
  low.fill(kInfinity);
  high.fill(-kInfinity);
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
    low[i % 3] = std::min<double>(low[i % 3], mesh.vertices[i]);
    high[i % 3] = std::max<double>(high[i % 3], mesh.vertices[i]);
  }
  const double edge = std::max({high[0] - low[0], high[1] - low[1], high[2] - low[2]});

  struct Cluster {
    std::array<double, 3> sum{};
    double corners = 0;
  };
  std::vector<Cluster> clusters;
  std::unordered_map<std::uint64_t, std::uint32_t> cluster_at;  // by cell; numbered as they appear, hence reproducible
  std::vector<std::uint32_t> cluster_of(mesh.vertices.size() / 3);
  for (std::size_t v = 0; v < cluster_of.size(); ++v) {
    std::uint64_t cell = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      const double place = edge > 0 ? (mesh.vertices[3 * v + i] - low[i]) / edge * cells : 0;
      cell = (cell << 16) | static_cast<std::uint64_t>(std::min<double>(std::floor(place), cells - 1));
    }
    const auto [entry, fresh] = cluster_at.try_emplace(cell, static_cast<std::uint32_t>(clusters.size()));
    if (fresh) clusters.emplace_back();
    Cluster& cluster = clusters[entry->second];
    for (std::size_t i = 0; i < 3; ++i) cluster.sum[i] += mesh.vertices[3 * v + i];
    cluster.corners += 1;
    cluster_of[v] = entry->second;
  }
  std::vector<Triangle> triangles;
  for (std::size_t at = 0; at < mesh.indices.size(); at += 3) {
    Triangle corner = {cluster_of[mesh.indices[at]], cluster_of[mesh.indices[at + 1]],
                       cluster_of[mesh.indices[at + 2]]};
    if (is_flat(corner)) continue;
    std::rotate(corner.begin(), std::min_element(corner.begin(), corner.end()), corner.end());  // keeps the winding
    triangles.push_back(corner);
  }
  std::sort(triangles.begin(), triangles.end());
  triangles.erase(std::unique(triangles.begin(), triangles.end()), triangles.end());

  IndexedMesh coarse;
  constexpr std::uint32_t kUnused = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> index_of(clusters.size(), kUnused);
  for (const Triangle& triangle : triangles) {
    for (const std::uint32_t corner : triangle) {
      if (index_of[corner] == kUnused) {
        index_of[corner] = static_cast<std::uint32_t>(coarse.vertices.size() / 3);
        for (const double sum : clusters[corner].sum) {
          coarse.vertices.push_back(static_cast<float>(sum / clusters[corner].corners));
        }
      }
      coarse.indices.push_back(index_of[corner]);
    }
  }
  return coarse;
}

}  // namespace

IndexedMesh scaled(const TriangleMesh& mesh, const Vector3& scale) {
  IndexedMesh indexed;
  std::unordered_map<Point, std::uint32_t, PointHash> known;
  const bool is_mirrored = scale.prod() < 0;
  for (std::size_t at = 0; at + 9 <= mesh.vertices.size(); at += 9) {
    std::array<Point, 3> corners{};
    bool is_finite = true;
    for (std::size_t i = 0; i < 9; ++i) {
      // + 0 makes one zero of two.
      const float value = static_cast<float>(mesh.vertices[at + i] * scale[static_cast<int>(i % 3)]) + 0.0f;
      is_finite = is_finite && std::isfinite(value);
      corners[i / 3][i % 3] = value;
    }
    if (is_mirrored) std::swap(corners[1], corners[2]);
    if (!is_finite || corners[0] == corners[1] || corners[1] == corners[2] || corners[2] == corners[0]) continue;
    for (const Point& corner : corners) {
      const auto [entry, fresh] = known.try_emplace(corner, static_cast<std::uint32_t>(indexed.vertices.size() / 3));
      if (fresh) indexed.vertices.insert(indexed.vertices.end(), corner.begin(), corner.end());
      indexed.indices.push_back(entry->second);
    }
  }
  return indexed;
}

IndexedMesh simplified(const IndexedMesh& mesh, std::size_t most) {
  if (mesh.triangles() <= most) return mesh;
  IndexedMesh best;
  // More cells give more triangles, but for a few: the finest grid that a bisection finds.
  for (int low = 1, high = 513; high - low > 1;) {
    const int middle = (low + high) / 2;
    IndexedMesh coarse = clustered(mesh, middle);
    if (coarse.triangles() <= most) {
      low = middle;
      best = std::move(coarse);
    } else {
      high = middle;
    }
  }
  return best;
}

}  // namespace antaeus::detail
