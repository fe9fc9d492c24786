#include "report/robot_meshes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <set>
#include <unordered_map>
#include <utility>

#include "draw/html_text.hpp"

namespace antaeus::parts {

namespace {

/// Corners merged on a cubic grid of so many cells along the longest edge of the mesh.
TriangleMesh clustered(const TriangleMesh& mesh, int cells) {
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
  std::vector<std::array<std::uint32_t, 3>> triangles;
  triangles.reserve(mesh.triangles());
  for (std::size_t at = 0; at < mesh.vertices.size(); at += 9) {
    std::array<std::uint32_t, 3> corner{};
    for (std::size_t c = 0; c < 3; ++c) {
      std::uint64_t cell = 0;
      for (std::size_t i = 0; i < 3; ++i) {
        const double place = edge > 0 ? (mesh.vertices[at + 3 * c + i] - low[i]) / edge * cells : 0;
        cell = (cell << 16) | static_cast<std::uint64_t>(std::min<double>(std::floor(place), cells - 1));
      }
      const auto [entry, fresh] = cluster_at.try_emplace(cell, static_cast<std::uint32_t>(clusters.size()));
      if (fresh) clusters.emplace_back();
      Cluster& cluster = clusters[entry->second];
      for (std::size_t i = 0; i < 3; ++i) cluster.sum[i] += mesh.vertices[at + 3 * c + i];
      cluster.corners += 1;
      corner[c] = entry->second;
    }
    if (corner[0] == corner[1] || corner[1] == corner[2] || corner[2] == corner[0]) continue;
    std::rotate(corner.begin(), std::min_element(corner.begin(), corner.end()), corner.end());  // keeps the winding
    triangles.push_back(corner);
  }
  std::sort(triangles.begin(), triangles.end());
  triangles.erase(std::unique(triangles.begin(), triangles.end()), triangles.end());

  TriangleMesh coarse;
  coarse.vertices.reserve(9 * triangles.size());
  for (const auto& triangle : triangles) {
    for (const std::uint32_t corner : triangle) {
      for (const double sum : clusters[corner].sum) {
        coarse.vertices.push_back(static_cast<float>(sum / clusters[corner].corners));
      }
    }
  }
  return coarse;
}

}  // namespace

TriangleMesh simplified(const TriangleMesh& mesh, std::size_t most) {
  if (mesh.triangles() <= most) return mesh;
  TriangleMesh best;
  for (int low = 1, high = 1025; high - low > 1;) {
    const int middle = (low + high) / 2;
    TriangleMesh coarse = clustered(mesh, middle);
    if (coarse.triangles() <= most) {
      low = middle;
      best = std::move(coarse);
    } else {
      high = middle;
    }
  }
  return best;
}

std::vector<float> drawn_triangles(const Shape& shape, const MeshFiles& meshes) {
  const auto found = meshes.find(shape.mesh.string());
  if (found == meshes.end()) return {};
  std::vector<float> vertices = simplified(found->second, kMostMeshTriangles).vertices;
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    vertices[i] = static_cast<float>(vertices[i] * shape.scale[i % 3]);
  }
  if (shape.scale.prod() < 0) {  // a mirror image turns the triangles inside out
    for (std::size_t at = 0; at + 8 < vertices.size(); at += 9) {
      std::swap_ranges(&vertices[at + 3], &vertices[at + 6], &vertices[at + 6]);
    }
  }
  return vertices;
}

std::string mesh_note(const RobotDescription& description, const MeshFiles& meshes) {
  std::set<std::string> skipped, coarser;
  for (const LinkDescription& link : description.links) {
    for (const Shape& shape : link.visuals) {
      if (shape.kind != ShapeKind::mesh) continue;
      const auto found = meshes.find(shape.mesh.string());
      if (found == meshes.end()) {
        skipped.insert(shape.mesh.filename().string());
      } else if (found->second.triangles() > kMostMeshTriangles) {
        coarser.insert(shape.mesh.filename().string());
      }
    }
  }
  const auto list = [](const std::set<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
  };
  std::string text;
  if (!skipped.empty()) text += "Not drawn, because only STL meshes are read: " + list(skipped) + ".";
  if (!coarser.empty()) {
    text += std::string(text.empty() ? "" : " ") + "Drawn coarser, with at most " + std::to_string(kMostMeshTriangles) +
            " triangles each: " + list(coarser) + ".";
  }
  return text.empty() ? text : "<p class=\"quiet\" id=\"mesh-note\">" + escaped(text) + "</p>";
}

}  // namespace antaeus::parts
