#include <assimp/BaseImporter.h>
#include <assimp/config.h>
#include <assimp/importerdesc.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>

#include <algorithm>
#include <assimp/IOStream.hpp>
#include <assimp/IOSystem.hpp>
#include <assimp/Importer.hpp>
#include <cstring>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "io/meshes/meshes_abi.hpp"

namespace {

constexpr std::string_view kOwnName = "mesh";

/// The bytes that were handed in, as a file.
class BytesStream final : public Assimp::IOStream {
 public:
  explicit BytesStream(std::string_view bytes) : bytes_(bytes) {}

  std::size_t Read(void* buffer, std::size_t size, std::size_t count) override {
    if (size == 0) return 0;
    const std::size_t whole = std::min(count, (bytes_.size() - at_) / size);
    std::memcpy(buffer, bytes_.data() + at_, whole * size);
    at_ += whole * size;
    return whole;
  }
  std::size_t Write(const void*, std::size_t, std::size_t) override { return 0; }
  aiReturn Seek(std::size_t offset, aiOrigin origin) override {
    const std::size_t from = origin == aiOrigin_SET ? 0 : origin == aiOrigin_CUR ? at_ : bytes_.size();
    const std::size_t to = origin == aiOrigin_END ? from - offset : from + offset;
    if (to > bytes_.size()) return aiReturn_FAILURE;
    at_ = to;
    return aiReturn_SUCCESS;
  }
  std::size_t Tell() const override { return at_; }
  std::size_t FileSize() const override { return bytes_.size(); }
  void Flush() override {}

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
};

/// A file system of one file: no material library, texture or other file is ever opened.
class OneFile final : public Assimp::IOSystem {
 public:
  OneFile(std::string_view bytes, std::string name) : bytes_(bytes), name_(std::move(name)) {}

  bool Exists(const char* file) const override { return file == name_; }
  char getOsSeparator() const override { return '/'; }
  Assimp::IOStream* Open(const char* file, const char*) override {
    return Exists(file) ? new BytesStream(bytes_) : nullptr;
  }
  void Close(Assimp::IOStream* stream) override { delete stream; }

 private:
  std::string_view bytes_;
  std::string name_;
};

/// Of assimp's many formats the one that is asked for stays.
void keep_only(Assimp::Importer& importer, std::string_view format) {
  std::vector<Assimp::BaseImporter*> others;
  for (std::size_t i = 0; i < importer.GetImporterCount(); ++i) {
    const aiImporterDesc* const about = importer.GetImporterInfo(i);
    const std::string extensions = std::string(" ") + (about ? about->mFileExtensions : "") + " ";
    if (extensions.find(" " + std::string(format) + " ") == std::string::npos)
      others.push_back(importer.GetImporter(i));
  }
  for (Assimp::BaseImporter* const other : others) {
    importer.UnregisterLoader(other);
    delete other;  // it is the caller's now
  }
  if (importer.GetImporterCount() != 1) throw std::runtime_error("assimp has no single reader of this format");
}

struct TooMany : std::exception {};

class Walk {
 public:
  Walk(const aiScene& scene, std::size_t most, AntaeusMeshTakeTriangle take, void* receiver)
      : scene_(scene), left_(most), take_(take), receiver_(receiver) {}

  void node(const aiNode& node, const aiMatrix4x4& X_parent) {
    const aiMatrix4x4 X = X_parent * node.mTransformation;
    const bool is_mirrored = X.Determinant() < 0;  // turns triangles inside out
    for (unsigned m = 0; m < node.mNumMeshes; ++m) {
      const aiMesh& mesh = *scene_.mMeshes[node.mMeshes[m]];
      for (unsigned f = 0; f < mesh.mNumFaces; ++f) triangle(mesh, mesh.mFaces[f], X, is_mirrored);
    }
    for (unsigned c = 0; c < node.mNumChildren; ++c) this->node(*node.mChildren[c], X);
  }

 private:
  void triangle(const aiMesh& mesh, const aiFace& face, const aiMatrix4x4& X, bool is_mirrored) {
    if (face.mNumIndices != 3) return;  // a line or a point
    if (left_ == 0) throw TooMany{};
    --left_;
    float corners[9];
    for (unsigned i = 0; i < 3; ++i) {
      const unsigned index = face.mIndices[is_mirrored && i > 0 ? 3 - i : i];
      if (index >= mesh.mNumVertices) throw std::runtime_error("a triangle names a corner that does not exist");
      const aiVector3D p = X * mesh.mVertices[index];
      corners[3 * i] = p.x, corners[3 * i + 1] = p.y, corners[3 * i + 2] = p.z;
    }
    take_(receiver_, corners);
  }

  const aiScene& scene_;
  std::size_t left_;
  AntaeusMeshTakeTriangle take_;
  void* receiver_;
};

int read(std::string_view bytes, const std::string& format, std::size_t most, AntaeusMeshTakeTriangle take_triangle,
         void* receiver) {
  Assimp::Importer importer;
  keep_only(importer, format);
  const std::string name = std::string(kOwnName) + "." + format;
  importer.SetIOHandler(new OneFile(bytes, name));  // the importer deletes it
  // URDF means a mesh in link axes: RViz and Coal pass the up axis over too, and a mesh that is turned here would stand
  // askew to its own collision shape.
  importer.SetPropertyBool(AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, true);
  importer.SetPropertyBool(AI_CONFIG_IMPORT_NO_SKELETON_MESHES, true);
  const aiScene* const scene = importer.ReadFile(name, aiProcess_Triangulate);
  if (!scene || !scene->mRootNode) throw std::runtime_error(importer.GetErrorString());
  try {
    Walk(*scene, most, take_triangle, receiver).node(*scene->mRootNode, aiMatrix4x4());
  } catch (const TooMany&) {
    return 2;
  }
  return 0;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int antaeus_mesh_read_1(AntaeusMeshText bytes, const char* format,
                                                                          std::size_t most,
                                                                          AntaeusMeshTakeTriangle take_triangle,
                                                                          AntaeusMeshTakeProblem take_problem,
                                                                          void* receiver) {
  try {
    std::string problem = "an unknown problem";
    try {
      return read({bytes.data, bytes.size}, format, most, take_triangle, receiver);
    } catch (const std::exception& error) {
      problem = error.what();
      // NOLINTNEXTLINE(bugprone-empty-catch): what is no exception has nothing to tell, and the words above stand
    } catch (...) {
    }
    take_problem(receiver, {problem.data(), problem.size()});
    // NOLINTNEXTLINE(bugprone-empty-catch): no exception may leave a plugin
  } catch (...) {  // the receiver had no memory left to hear why
  }
  return 1;
}
