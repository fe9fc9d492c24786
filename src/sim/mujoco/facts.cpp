#include <algorithm>
#include <cmath>

#include "antaeus/core/error.hpp"
#include "sim/mujoco/mujoco_parts.hpp"

namespace antaeus::detail {

namespace {

std::string name_of(const mjModel& model, mjtObj type, int id) {
  const char* const name = mj_id2name(&model, type, id);
  return name ? name : "";
}

/// For messages: its own name, or where it is.
std::string named(const mjModel& model, mjtObj type, int id, const char* kind) {
  const std::string name = name_of(model, type, id);
  return name.empty() ? std::string(kind) + " " + std::to_string(id) : std::string(kind) + " '" + name + "'";
}

BodyFacts body_facts(const mjModel& m, int body) {
  BodyFacts facts;
  facts.name = name_of(m, mjOBJ_BODY, body);
  facts.parent = body == 0 ? -1 : m.body_parentid[body];
  facts.X_PB = {to_rotation(m.body_quat + 4 * body), to_vector(m.body_pos + 3 * body)};
  facts.mass = m.body_mass[body];
  facts.X_BI = {to_rotation(m.body_iquat + 4 * body), to_vector(m.body_ipos + 3 * body)};
  facts.inertia = to_vector(m.body_inertia + 3 * body);
  for (int joint = 0; joint < m.body_jntnum[body]; ++joint) facts.joints.push_back(m.body_jntadr[body] + joint);
  return facts;
}

JointFacts joint_facts(const mjModel& m, int joint, const std::string& place) {
  JointFacts facts;
  facts.name = name_of(m, mjOBJ_JOINT, joint);
  const std::string what = named(m, mjOBJ_JOINT, joint, "joint");
  switch (m.jnt_type[joint]) {
    case mjJNT_FREE: facts.kind = JointKind::free; break;
    case mjJNT_SLIDE: facts.kind = JointKind::slide; break;
    case mjJNT_HINGE: facts.kind = JointKind::hinge; break;
    default: throw ModelError(place, what + " is a ball", "write three hinges in its body");
  }
  facts.body = m.jnt_bodyid[joint];
  facts.position = m.jnt_qposadr[joint];
  facts.velocity = m.jnt_dofadr[joint];
  facts.armature = m.dof_armature[facts.velocity];
  facts.damping = m.dof_damping[facts.velocity];
  // MuJoCo keeps what an actuator adds apart from what the joint has, and on the motor's side of the gear.
  if (const int actuator = m.jnt_actuatorid[joint]; actuator >= 0) {
    const double gear = m.actuator_gear[6 * m.actuator_outadr[actuator]];
    facts.armature += gear * gear * m.actuator_armature[actuator];
    facts.damping += gear * gear * m.actuator_damping[actuator];
  }
  if (facts.kind == JointKind::free) {
    if (facts.armature != 0.0) {
      throw ModelError(place, what + " is free and an actuator gives it armature", "remove the actuator's armature");
    }
    return facts;
  }
  facts.anchor = to_vector(m.jnt_pos + 3 * joint);
  facts.axis = to_vector(m.jnt_axis + 3 * joint);
  facts.reference = m.qpos0[facts.position];
  if (m.jnt_limited[joint]) {
    facts.lower = m.jnt_range[2 * joint];
    facts.upper = m.jnt_range[2 * joint + 1];
  }
  if (m.jnt_actfrclimited[joint]) {
    facts.effort = std::max(std::abs(m.jnt_actfrcrange[2 * joint]), std::abs(m.jnt_actfrcrange[2 * joint + 1]));
  }
  return facts;
}

GeomFacts geom_facts(const mjModel& m, int geom) {
  GeomFacts facts;
  facts.name = name_of(m, mjOBJ_GEOM, geom);
  facts.body = m.geom_bodyid[geom];
  facts.is_visual = m.geom_contype[geom] == 0 && m.geom_conaffinity[geom] == 0;
  facts.has_shape = true;
  Shape& shape = facts.shape;
  shape.X_LS = {to_rotation(m.geom_quat + 4 * geom), to_vector(m.geom_pos + 3 * geom)};
  const Vector3 half = to_vector(m.geom_size + 3 * geom);
  const int material = m.geom_matid[geom], mesh = m.geom_dataid[geom];
  const float* const color = material < 0 ? m.geom_rgba + 4 * geom : m.mat_rgba + 4 * material;
  shape.color = Eigen::Map<const Eigen::Vector4f>(color).cast<double>();
  switch (m.geom_type[geom]) {
    case mjGEOM_BOX:
      shape.kind = ShapeKind::box;
      shape.size = 2.0 * half;
      break;
    case mjGEOM_SPHERE:
      shape.kind = ShapeKind::sphere;
      shape.size[0] = half[0];
      break;
    case mjGEOM_CYLINDER:
    case mjGEOM_CAPSULE:
      shape.kind = m.geom_type[geom] == mjGEOM_CAPSULE ? ShapeKind::capsule : ShapeKind::cylinder;
      shape.size = {half[0], 2.0 * half[1], 0.0};
      break;
    case mjGEOM_MESH: {
      facts.has_shape = m.mesh_pathadr[mesh] >= 0;
      if (!facts.has_shape) break;
      shape.kind = ShapeKind::mesh;
      shape.mesh = m.paths + m.mesh_pathadr[mesh];
      shape.scale = to_vector(m.mesh_scale + 3 * mesh);
      // MuJoCo moves a mesh into its axes of inertia, and the geom the other way.
      const Pose X_FG{to_rotation(m.mesh_quat + 4 * mesh), to_vector(m.mesh_pos + 3 * mesh)};
      shape.X_LS = shape.X_LS * X_FG.inverse();
      break;
    }
    default: facts.has_shape = false;
  }
  return facts;
}

ActuatorFacts actuator_facts(const mjModel& m, int actuator, const std::vector<std::string>& robots_own) {
  ActuatorFacts facts;
  facts.name = name_of(m, mjOBJ_ACTUATOR, actuator);
  facts.control = m.actuator_ctrladr[actuator];
  facts.is_tool = std::find(robots_own.begin(), robots_own.end(), facts.name) == robots_own.end();
  const bool is_of_joint = m.actuator_trntype[actuator] == mjTRN_JOINT;
  if (is_of_joint) facts.joint = m.actuator_trnid[2 * actuator];
  if (m.actuator_trntype[actuator] == mjTRN_TENDON) {
    facts.tendon = named(m, mjOBJ_TENDON, m.actuator_trnid[2 * actuator], "tendon");
    const int first = m.tendon_adr[m.actuator_trnid[2 * actuator]];
    for (int i = first; i < first + m.tendon_num[m.actuator_trnid[2 * actuator]]; ++i) {
      if (m.wrap_type[i] == mjWRAP_JOINT) facts.tendon_joints.push_back(m.wrap_objid[i]);
    }
  }
  facts.is_torque = is_of_joint && m.actuator_dyntype[actuator] == mjDYN_NONE &&
                    m.actuator_gaintype[actuator] == mjGAIN_FIXED && m.actuator_gainprm[mjNGAIN * actuator] == 1.0 &&
                    m.actuator_biastype[actuator] == mjBIAS_NONE && m.actuator_ctrlnum[actuator] == 1 &&
                    m.actuator_gear[6 * m.actuator_outadr[actuator]] == 1.0 && m.actuator_delay[actuator] == 0.0;
  if (m.actuator_forcelimited[actuator]) {
    facts.lower = m.actuator_forcerange[2 * actuator];
    facts.upper = m.actuator_forcerange[2 * actuator + 1];
  }
  if (facts.is_torque && m.actuator_ctrllimited[facts.control]) {
    facts.lower = std::max(facts.lower, m.actuator_ctrlrange[2 * facts.control]);
    facts.upper = std::min(facts.upper, m.actuator_ctrlrange[2 * facts.control + 1]);
  }
  return facts;
}

EqualityFacts equality_facts(const mjModel& m, int equality) {
  EqualityFacts facts{.what = named(m, mjOBJ_EQUALITY, equality, "equality"), .joints = {}};
  const int first = m.eq_obj1id[equality], second = m.eq_obj2id[equality];
  const auto body_of = [&](int object) {
    return m.eq_objtype[equality] == mjOBJ_SITE ? m.site_bodyid[object] : object;
  };
  switch (m.eq_type[equality]) {
    case mjEQ_JOINT:
      facts.joints.push_back(first);
      if (second >= 0) facts.joints.push_back(second);
      break;
    case mjEQ_CONNECT:
    case mjEQ_WELD:
      facts.body = body_of(first);
      facts.other = body_of(second);
      break;
    default: break;
  }
  return facts;
}

void add_notes(const mjModel& m, SceneFacts& facts) {
  const auto count = [&](mjtSize number, const char* what) {
    if (number > 0) facts.notes.push_back(std::to_string(number) + " " + what);
  };
  count(m.neq, "equality constraints are MuJoCo's alone: the tree moves as if they were not there");
  int springs = 0, losses = 0, lifted = 0;
  for (int joint = 0; joint < m.njnt; ++joint) springs += m.jnt_stiffness[joint] != 0.0;
  for (int row = 0; row < m.nv; ++row) losses += m.dof_frictionloss[row] != 0.0;
  for (int body = 0; body < m.nbody; ++body) lifted += m.body_gravcomp[body] != 0.0;
  count(springs, "joints have springs, which are no part of inverse dynamics");
  count(losses, "joints have friction, which is no part of inverse dynamics");
  count(lifted, "bodies are compensated against gravity in MuJoCo, and weigh here");
}

}  // namespace

SceneFacts read_facts(const Composed& composed) {
  const mjModel& m = *composed.model;
  SceneFacts facts;
  facts.name = composed.name;
  facts.sha256 = composed.sha256;
  facts.position_size = static_cast<int>(m.nq);
  facts.velocity_size = static_cast<int>(m.nv);
  facts.control_size = static_cast<int>(m.nu);
  facts.gravity = m.opt.disableflags & mjDSBL_GRAVITY ? Vector3(Vector3::Zero()) : to_vector(m.opt.gravity);
  facts.time_step = m.opt.timestep;
  facts.position0 = Eigen::Map<const VectorX>(m.qpos0, m.nq);
  for (int body = 0; body < m.nbody; ++body) facts.bodies.push_back(body_facts(m, body));
  for (int joint = 0; joint < m.njnt; ++joint) facts.joints.push_back(joint_facts(m, joint, composed.name));
  for (int tendon = 0; tendon < m.ntendon; ++tendon) {
    if (m.tendon_armature[tendon] != 0.0) {
      throw ModelError(composed.name, named(m, mjOBJ_TENDON, tendon, "tendon") + " has armature",
                       "give it to the joints instead: it couples rows of the mass matrix");
    }
  }
  for (int site = 0; site < m.nsite; ++site) {
    facts.sites.push_back({name_of(m, mjOBJ_SITE, site),
                           m.site_bodyid[site],
                           {to_rotation(m.site_quat + 4 * site), to_vector(m.site_pos + 3 * site)}});
  }
  for (int geom = 0; geom < m.ngeom; ++geom) {
    facts.geoms.push_back(geom_facts(m, geom));
  }
  for (int actuator = 0; actuator < m.nactuator; ++actuator) {
    facts.actuators.push_back(actuator_facts(m, actuator, composed.robot_actuators));
    const ActuatorFacts& added = facts.actuators.back();
    if (added.joint < 0 || !added.is_torque) continue;
    double& effort = facts.joints[added.joint].effort;
    effort = std::min(effort, std::max(std::abs(added.lower), std::abs(added.upper)));
  }
  facts.force_sensor = find_name(facts.sites, composed.force_sensor_site);
  for (int equality = 0; equality < m.neq; ++equality) {
    if (m.eq_active0[equality]) facts.equalities.push_back(equality_facts(m, equality));
  }
  facts.notes = composed.notes;
  add_notes(m, facts);
  return facts;
}

}  // namespace antaeus::detail
