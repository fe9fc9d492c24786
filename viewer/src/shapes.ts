// Geometry of a robot's shapes.
import { BoxGeometry, BufferAttribute, BufferGeometry, CapsuleGeometry, CylinderGeometry, Float32BufferAttribute, Matrix4, SphereGeometry } from 'three';
import { unpack, type Pose, type SceneRobot, type Shape } from './payload';

export const matrix = (p: Pose): Matrix4 => {
  const n = (i: number): number => p[i] ?? 0;
  return new Matrix4().set(n(0), n(1), n(2), n(3), n(4), n(5), n(6), n(7), n(8), n(9), n(10), n(11), 0, 0, 0, 1);
};

export function geometry(shape: Shape): BufferGeometry | null {
  const [a, b, c] = shape.size;
  switch (shape.kind) {
    case 'box':
      return new BoxGeometry(a, b, c);
    case 'sphere':
      return new SphereGeometry(a, 24, 16);
    case 'cylinder':
      return new CylinderGeometry(a, a, b, 24).rotateX(Math.PI / 2);
    case 'capsule':
      return new CapsuleGeometry(a, b, 8, 20).rotateX(Math.PI / 2);
    case 'mesh': {
      if (!shape.vertices) return null;
      const indexed = new BufferGeometry();
      indexed.setAttribute('position', new Float32BufferAttribute(unpack(shape.vertices), 3));
      if (shape.indices) indexed.setIndex(new BufferAttribute(new Uint32Array(unpack(shape.indices)), 1));
      // Vertices of their own for every face: flat faces have sharp edges.
      const flat = shape.indices ? indexed.toNonIndexed() : indexed;
      flat.computeVertexNormals();
      return flat;
    }
  }
}

const GREY: [number, number, number, number] = [0.7, 0.7, 0.7, 1];

/** A description without any shape is drawn as sticks from joint to joint. */
export function sticks(robot: SceneRobot): Map<string, Shape[]> {
  const length = (p: Pose): number => Math.hypot(p[3] ?? 0, p[7] ?? 0, p[11] ?? 0);
  const longest = Math.max(0.02, ...robot.joints.map((joint) => length(joint.pose)));
  const made = new Map<string, Shape[]>();
  const add = (link: string, shape: Shape): void => void made.set(link, [...(made.get(link) ?? []), shape]);
  const radius = 0.06 * longest;
  const ball = (link: string): void =>
    add(link, { kind: 'sphere', pose: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0], size: [1.5 * radius, 0, 0], color: GREY });
  ball(robot.root);
  for (const joint of robot.joints) {
    const [x, y, z] = [joint.pose[3] ?? 0, joint.pose[7] ?? 0, joint.pose[11] ?? 0];
    const far = length(joint.pose);
    if (far < 1e-6) continue;
    ball(joint.child);
    // Any two axes across the stick make its frame.
    const w = [x / far, y / far, z / far] as const;
    const side = Math.abs(w[0]) < 0.9 ? ([1, 0, 0] as const) : ([0, 1, 0] as const);
    const u = [w[1] * side[2] - w[2] * side[1], w[2] * side[0] - w[0] * side[2], w[0] * side[1] - w[1] * side[0]];
    const norm = Math.hypot(...u);
    const [ux, uy, uz] = u.map((c) => c / norm) as [number, number, number];
    const v = [w[1] * uz - w[2] * uy, w[2] * ux - w[0] * uz, w[0] * uy - w[1] * ux] as const;
    const pose = [ux, v[0], w[0], x / 2, uy, v[1], w[1], y / 2, uz, v[2], w[2], z / 2];
    add(joint.parent, { kind: 'cylinder', pose, size: [radius, far, 0], color: GREY });
  }
  return made;
}
