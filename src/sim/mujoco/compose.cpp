#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <set>
#include <utility>

#include "antaeus/core/error.hpp"
#include "antaeus/core/number_text.hpp"
#include "antaeus/io/files.hpp"
#include "io/mjcf_limits.hpp"
#include "sim/mujoco/limited_child.hpp"
#include "sim/mujoco/mujoco_parts.hpp"

namespace antaeus::detail {

namespace {

struct DeleteSpec {
  void operator()(mjSpec* spec) const noexcept { mj_deleteSpec(spec); }
};
using SpecPointer = std::unique_ptr<mjSpec, DeleteSpec>;

/// MuJoCo's own words, on one line.
std::string one_line(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n')) text.replace(at, 1, ", ");
  return text;
}

std::string place_of(const Mjcf& source, const char* otherwise) {
  return source.file.empty() ? otherwise : source.file.string();
}

SpecPointer parse(const Mjcf& source, const std::string& place) {
  char words[1024] = "";
  SpecPointer spec;
  spec.reset(source.file.empty() ? mj_parseXMLString(source.text.c_str(), nullptr, words, sizeof words)
                                 : mj_parseXML(source.file.c_str(), nullptr, words, sizeof words));
  if (!spec) throw ModelError(place, "MuJoCo cannot read it (" + one_line(words) + ")", "correct the MJCF");
  return spec;
}

std::vector<mjsElement*> elements(const mjSpec* spec, mjtObj type) {
  std::vector<mjsElement*> all;
  for (mjsElement* one = mjs_firstElement(spec, type); one; one = mjs_nextElement(spec, one)) all.push_back(one);
  return all;
}

std::string name_of(mjsElement* element) { return mjs_getString(mjs_getName(element)); }

mjsElement* find(const mjSpec* spec, mjtObj type, const std::string& name, const std::string& place, const char* kind) {
  mjsElement* const found = mjs_findElement(spec, type, name.c_str());
  if (found && !name.empty()) return found;
  std::vector<std::string> names;
  for (mjsElement* const one : elements(spec, type)) {
    if (!name_of(one).empty()) names.push_back(name_of(one));
  }
  throw_unknown<ModelError>(place, kind, name, names);
}

void remove_all(mjSpec* spec, mjtObj type) {
  for (mjsElement* const element : elements(spec, type)) mjs_delete(spec, element);
}

void set_name(mjsElement* element, const std::string& name, const std::string& place) {
  if (mjs_setName(element, name.c_str()) != 0) {
    throw ModelError(place, "the name '" + name + "' is taken", "choose another");
  }
}

void set_physics(const ScenePhysics& physics, const std::string& place, mjOption& option) {
  if (!(physics.time_step > 0) || !std::isfinite(physics.time_step) || !physics.gravity.allFinite() ||
      !(physics.friction_impedance > 0) || !std::isfinite(physics.friction_impedance)) {
    throw ModelError(place, "time step, gravity or friction impedance is not a usable number",
                     "give finite numbers, the first and the last above zero");
  }
  constexpr int kIntegrators[] = {mjINT_EULER, mjINT_RK4, mjINT_IMPLICIT, mjINT_IMPLICITFAST};
  option.timestep = physics.time_step;
  Eigen::Map<Vector3>(option.gravity) = physics.gravity;
  option.integrator = kIntegrators[static_cast<int>(physics.integrator)];
  option.cone = physics.is_cone_elliptic ? mjCONE_ELLIPTIC : mjCONE_PYRAMIDAL;
  option.impratio = physics.friction_impedance;
  option.disableflags |= mjDSBL_AUTORESET;  // a state that breaks is told, not put back to the start
}

/// A motor whose control is the joint's torque, with the limits of force that the servo had. What acts by a tendon, at
/// a site or on a body stays as it is: it is no torque of one joint, and the facts say what it moves.
void make_motor(mjsActuator* actuator, const std::string& place) {
  const std::string name = name_of(actuator->element);
  if (actuator->trntype != mjTRN_JOINT && actuator->trntype != mjTRN_JOINTINPARENT) return;
  const double gear = actuator->gear[0];
  if (const char* const problem = mjs_setToMotor(actuator); problem && *problem) {
    throw ModelError(place, "actuator '" + name + "': " + one_line(problem), "write it as a motor");
  }
  actuator->trntype = mjTRN_JOINT;
  actuator->gaintype = mjGAIN_FIXED;
  actuator->biastype = mjBIAS_NONE;
  actuator->dyntype = mjDYN_NONE;
  std::fill(std::begin(actuator->gainprm), std::end(actuator->gainprm), 0.0);
  std::fill(std::begin(actuator->biasprm), std::end(actuator->biasprm), 0.0);
  actuator->gainprm[0] = 1.0;
  actuator->gear[0] = 1.0;
  actuator->armature *= gear * gear;
  for (int power = 0; power <= mjNPOLY; ++power)
    actuator->damping[power] *= gear * gear * std::pow(std::abs(gear), power);
  actuator->delay = 0.0;
  actuator->ctrllimited = mjLIMITED_FALSE;  // a servo's are angles
  actuator->ctrlrange[0] = actuator->ctrlrange[1] = 0.0;
  const double first = gear * actuator->forcerange[0], second = gear * actuator->forcerange[1];
  actuator->forcerange[0] = std::min(first, second);
  actuator->forcerange[1] = std::max(first, second);
}

std::vector<std::string> prepare_robot(const SceneDescription& description, mjSpec* spec, const std::string& place) {
  remove_all(spec, mjOBJ_KEY);  // of another number of joints once a tool is attached
  std::vector<std::string> own;
  const std::vector<mjsElement*> actuators = elements(spec, mjOBJ_ACTUATOR);
  std::set<std::string> taken;
  for (mjsElement* const element : actuators) taken.insert(name_of(element));
  for (std::size_t at = 0; at < actuators.size(); ++at) {
    mjsElement* const element = actuators[at];
    mjsActuator* const actuator = mjs_asActuator(element);
    // MuJoCo asks for no name: it is called after what it moves, else by its number.
    if (name_of(element).empty()) {
      std::string name = mjs_getString(actuator->target);
      if (name.empty() || taken.contains(name)) name = "actuator" + std::to_string(at);
      while (!taken.insert(name).second) name += "_actuator";
      set_name(element, name, place);
    }
    own.push_back(name_of(element));
    if (description.has_torque_motors) make_motor(actuator, place);
    if (!std::isnan(description.joint_damping)) {
      if (!(description.joint_damping >= 0) || !std::isfinite(description.joint_damping)) {
        throw ModelError(place, "the joints' damping is not a usable number", "give zero or more");
      }
      mjsElement* const joint = mjs_findElement(spec, mjOBJ_JOINT, mjs_getString(actuator->target));
      if (!joint) continue;
      double* const damping = mjs_asJoint(joint)->damping;
      std::fill(damping, damping + mjNPOLY + 1, 0.0);
      damping[0] = description.joint_damping;
    }
  }
  return own;
}

/// \return the tool's specification, which must outlive the scene's
SpecPointer attach(const SceneDescription& description, mjSpec* spec, const std::string& place) {
  const SceneTool& tool = *description.tool;
  const std::string tool_place = place_of(tool.model, "the tool's text");
  SpecPointer child = parse(tool.model, tool_place);
  remove_all(child.get(), mjOBJ_KEY);
  remove_all(child.get(), mjOBJ_SENSOR);
  if (tool.joints == ToolJoints::rigid) {
    for (const mjtObj type : {mjOBJ_EQUALITY, mjOBJ_ACTUATOR, mjOBJ_TENDON, mjOBJ_JOINT}) {
      remove_all(child.get(), type);
    }
  }
  set_physics(description.physics, place, child->option);  // else MuJoCo warns of what it drops
  mjsElement* const site = find(spec, mjOBJ_SITE, tool.site, place, "site");
  if (!mjs_attach(site, child->element, tool.prefix.c_str(), "")) {
    throw ModelError(tool_place, "MuJoCo cannot attach it (" + one_line(mjs_getError(spec)) + ")",
                     "choose another prefix, or correct the MJCF");
  }
  return child;
}

void add_site(const SceneSite& site, mjSpec* spec, const std::string& place) {
  mjsBody* const body = mjs_asBody(find(spec, mjOBJ_BODY, site.body, place + " (site '" + site.name + "')", "body"));
  mjsSite* const added = mjs_addSite(body, nullptr);
  set_name(added->element, site.name, place);
  Eigen::Map<Vector3>(added->pos) = site.X_BS.translation;
  to_quaternion(site.X_BS.rotation, added->quat);
}

void add_table(const SceneTable& table, mjSpec* spec, const std::string& place) {
  if (!(table.size.array() > 0).all() || !table.size.allFinite() || !table.X_WT.translation.allFinite() ||
      !table.X_WT.rotation.allFinite()) {
    throw ModelError(place, "the table '" + table.name + "' has no usable size or pose", "give edges above zero");
  }
  mjsBody* const body = mjs_addBody(mjs_findBody(spec, "world"), nullptr);
  set_name(body->element, table.name, place);
  Eigen::Map<Vector3>(body->pos) = table.X_WT.translation;
  to_quaternion(table.X_WT.rotation, body->quat);
  mjsGeom* const geom = mjs_addGeom(body, nullptr);
  set_name(geom->element, table.name, place);
  geom->type = mjGEOM_BOX;
  Eigen::Map<Vector3>(geom->size) = 0.5 * table.size;
  geom->pos[2] = -0.5 * table.size[2];
  const float wood[3] = {0.76F, 0.73F, 0.68F};
  std::copy(wood, wood + 3, geom->rgba);
}

void add_pair(const ScenePair& pair, mjSpec* spec, const std::string& place) {
  const std::string where = place + " (contact pair)";
  find(spec, mjOBJ_GEOM, pair.geom, where, "geom");
  find(spec, mjOBJ_GEOM, pair.other, where, "geom");
  const bool is_usable = pair.time_constant > 0 && pair.damping_ratio > 0 && pair.friction_time_constant >= 0 &&
                         pair.friction_damping_ratio > 0 && pair.friction > 0 && pair.first_impedance > 0 &&
                         pair.full_impedance >= pair.first_impedance && pair.full_impedance < 1;
  if (!is_usable || !std::isfinite(pair.time_constant + pair.damping_ratio + pair.friction_time_constant +
                                   pair.friction_damping_ratio + pair.friction)) {
    throw ModelError(where, "a number of '" + pair.geom + "' on '" + pair.other + "' is not usable",
                     "give numbers above zero");
  }
  mjsPair* const added = mjs_addPair(spec, nullptr);
  mjs_setString(added->geomname1, pair.geom.c_str());
  mjs_setString(added->geomname2, pair.other.c_str());
  added->condim = 3;
  added->solref[0] = pair.time_constant;
  added->solref[1] = pair.damping_ratio;
  added->solimp[0] = pair.first_impedance;
  added->solimp[1] = pair.full_impedance;
  if (pair.friction_time_constant > 0) {
    added->solreffriction[0] = pair.friction_time_constant;
    added->solreffriction[1] = pair.friction_damping_ratio;
  }
  added->friction[0] = added->friction[1] = pair.friction;
}

void add_force_sensor(const std::string& site, mjSpec* spec, const std::string& place) {
  find(spec, mjOBJ_SITE, site, place + " (force sensor)", "site");
  for (const auto& [type, name] :
       {std::pair{mjSENS_FORCE, "antaeus_force"}, std::pair{mjSENS_TORQUE, "antaeus_torque"}}) {
    mjsSensor* const sensor = mjs_addSensor(spec);
    set_name(sensor->element, name, place);
    sensor->type = type;
    sensor->objtype = mjOBJ_SITE;
    mjs_setString(sensor->objname, site.c_str());
  }
}

/// MuJoCo turns the armature of a free joint with the body for rotation and not for translation, which no rigid body
/// does. Free joints get it from a class of defaults that was written for the motors.
void drop_free_armature(mjSpec* spec, std::vector<Note>& notes) {
  for (mjsElement* const element : elements(spec, mjOBJ_JOINT)) {
    mjsJoint* const joint = mjs_asJoint(element);
    if (joint->type != mjJNT_FREE || joint->armature == 0.0) continue;
    notes.push_back({NoteCode::armature_left_out,
                     name_of(element),
                     {NoteValue(joint->armature, significant_text(joint->armature, 3))}});
    joint->armature = 0.0;
  }
}

/// A sky for pictures, where the files have none: else it is black.
void add_sky(mjSpec* spec) {
  for (mjsElement* const element : elements(spec, mjOBJ_TEXTURE)) {
    if (mjs_asTexture(element)->type == mjTEXTURE_SKYBOX) return;
  }
  mjsTexture* const sky = mjs_addTexture(spec, nullptr);
  set_name(sky->element, "antaeus_sky", "scene");
  sky->type = mjTEXTURE_SKYBOX;
  sky->builtin = mjBUILTIN_GRADIENT;
  sky->width = sky->height = 64;
  const double above[3] = {0.80, 0.86, 0.93}, below[3] = {0.97, 0.97, 0.96};
  std::copy(above, above + 3, sky->rgb1);
  std::copy(below, below + 3, sky->rgb2);
}

/// \return bytes of the model's files
std::uintmax_t check(const Mjcf& source, const std::string& place) {
  std::error_code ignored;
  if (source.file.empty() && source.text.empty()) {
    throw ModelError(place, "no model is given", "name an MJCF file, or give its text");
  }
  if (!source.file.empty() && !std::filesystem::is_regular_file(source.file, ignored)) {
    throw ModelError(place, "there is no such file", "name an MJCF file");
  }
  return check_mjcf(source.file, source.text, place);
}

void put(std::string& to, std::string_view part) {
  const std::uint64_t size = part.size();
  to.append(reinterpret_cast<const char*>(&size), sizeof size).append(part);
}

std::string_view take(std::string_view& from) {
  std::uint64_t size = 0;
  std::memcpy(&size, from.data(), sizeof size);
  const std::string_view part = from.substr(sizeof size, size);
  from.remove_prefix(sizeof size + size);
  return part;
}

std::string bytes_of(const Mjcf& source) { return source.file.empty() ? source.text : read_file(source.file); }

Composed compose_here(const SceneDescription& description) {
  Composed composed;
  const std::string place = place_of(description.robot, description.name.c_str());
  const SpecPointer spec = parse(description.robot, place);
  // Sensors of the files would stand before ours, and nobody reads them.
  remove_all(spec.get(), mjOBJ_SENSOR);
  set_physics(description.physics, place, spec->option);
  composed.robot_actuators = prepare_robot(description, spec.get(), place);
  SpecPointer tool;
  if (description.tool) tool = attach(description, spec.get(), place);
  for (const SceneSite& site : description.sites) add_site(site, spec.get(), place);
  if (description.table) add_table(*description.table, spec.get(), place);
  for (const ScenePair& pair : description.pairs) add_pair(pair, spec.get(), place);
  if (!description.force_sensor_site.empty()) add_force_sensor(description.force_sensor_site, spec.get(), place);
  drop_free_armature(spec.get(), composed.notes);
  add_sky(spec.get());
  composed.model.reset(mj_compile(spec.get(), nullptr));
  if (!composed.model) {
    throw ModelError(place, "MuJoCo cannot compile it (" + one_line(mjs_getError(spec.get())) + ")",
                     "correct the MJCF");
  }
  return composed;
}

/// Bytes of what compose_here() found.
std::string pack(const Composed& composed) {
  const std::uint64_t size = static_cast<std::uint64_t>(mj_sizeModel(composed.model.get()));
  std::string bytes(reinterpret_cast<const char*>(&size), sizeof size);
  bytes.resize(sizeof size + size);
  mj_saveModel(composed.model.get(), nullptr, bytes.data() + sizeof size, static_cast<mjtSize>(size));
  put(bytes, std::to_string(composed.robot_actuators.size()));
  for (const std::string& actuator : composed.robot_actuators) put(bytes, actuator);
  for (const Note& note : composed.notes) {
    put(bytes, to_string(note.code));
    put(bytes, note.subject);
    put(bytes, note.remedy);
    put(bytes, std::to_string(note.values.size()));
    for (const NoteValue& value : note.values) {
      put(bytes, value.text);
      put(bytes, value.number ? shortest_text(*value.number) : "");
    }
  }
  return bytes;
}

Composed unpack(std::string_view bytes) {
  Composed composed;
  const std::string_view model = take(bytes);
  composed.model.reset(mj_loadModelBuffer(model.data(), static_cast<mjtSize>(model.size())));
  composed.robot_actuators.resize(std::stoul(std::string(take(bytes))));
  for (std::string& actuator : composed.robot_actuators) actuator = take(bytes);
  while (!bytes.empty()) {
    Note& note = composed.notes.emplace_back(parse_enum<NoteCode>(take(bytes), "compose"));
    note.subject = take(bytes);
    note.remedy = take(bytes);
    note.values.resize(std::stoul(std::string(take(bytes))));
    for (NoteValue& value : note.values) {
      value.text = take(bytes);
      const std::string_view number = take(bytes);
      if (!number.empty()) std::from_chars(number.data(), number.data() + number.size(), value.number.emplace());
    }
  }
  return composed;
}

}  // namespace

Composed compose_model(const SceneDescription& description) {
  const std::string place = place_of(description.robot, description.name.c_str());
  std::uintmax_t size = check(description.robot, place);
  if (description.tool) size += check(description.tool->model, place_of(description.tool->model, "the tool's text"));
  // MuJoCo compiles a megabyte of meshes in less than a second, and holds less than 64 times its bytes.
  constexpr std::uintmax_t kMegabyte = 1 << 20, kMostMegabytes = 256;
  const std::uintmax_t megabytes = std::min(size / kMegabyte, kMostMegabytes);
  const ChildLimits limits{(768 + 64 * megabytes) * kMegabyte, static_cast<unsigned>(20 + megabytes)};
  const ChildResult result = run_in_child(limits, [&] { return pack(compose_here(description)); });
  if (!result.failure.empty()) throw ModelError(place, result.failure, "correct or simplify the MJCF");
  if (!result.error.empty()) throw ModelError("", result.error);  // which names the place
  Composed composed = unpack(result.bytes);
  composed.name = place;
  composed.force_sensor_site = description.force_sensor_site;
  composed.sha256 = sha256(bytes_of(description.robot) + (description.tool ? bytes_of(description.tool->model) : ""));
  return composed;
}

}  // namespace antaeus::detail
