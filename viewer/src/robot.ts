// A robot from its own shapes: posed by channels, coloured by what each joint adds.
import { Box3, Color, Group, Matrix4, Mesh, MeshLambertMaterial, Quaternion, SRGBColorSpace, Vector3 } from 'three';
import type { Choice } from './choice';
import type { Samples } from './data';
import { cssColor } from './format';
import type { ChannelId, Joint, SceneRobot } from './payload';
import { geometry, matrix, sticks } from './shapes';

const GHOST = 0.28;
const NO_NUMBERS = 0.3;
/** A joint is coloured against the largest at the cursor, or this share of the largest of the run where that is more. */
const TINT_FLOOR = 0.01;

interface Node {
  joint: Joint;
  fixed: Matrix4;
  axis: Vector3;
  group: Group;
}
interface Part {
  material: MeshLambertMaterial;
  own: Color;
}

export class Robot {
  readonly root = new Group();
  private readonly links = new Map<string, Group>();
  private readonly boxes = new Map<string, Box3>();
  private readonly nodes: Node[] = [];
  private readonly parts = new Map<Joint | null, Part[]>();
  private readonly neutral: boolean; // grey, so that a tint or another robot is seen beside it
  private lastFinite: Int32Array | null = null;
  private readonly turn = new Quaternion();
  private readonly slide = new Matrix4();
  private readonly along = new Vector3();

  constructor(
    private readonly data: Samples,
    readonly spec: SceneRobot,
  ) {
    this.neutral = spec.ghost || spec.joints.some((joint) => joint.tints.length > 0);
    this.root.matrixAutoUpdate = false;
    for (const link of spec.links) this.links.set(link.name, new Group());
    const owner = this.joinLinks();
    const drawn = spec.links.some((link) => link.shapes.length > 0);
    const instead = drawn ? null : sticks(spec);
    for (const link of spec.links) {
      for (const shape of instead?.get(link.name) ?? link.shapes) this.addShape(link.name, shape, owner.get(link.name) ?? null);
    }
    const base = this.links.get(spec.root);
    if (base) this.root.add(base);
  }

  /** Hangs the links below each other. \return for each the nearest joint above it that moves */
  private joinLinks(): Map<string, Joint | null> {
    const owner = new Map<string, Joint | null>([[this.spec.root, null]]);
    const below = new Map<string, Joint[]>();
    for (const joint of this.spec.joints) below.set(joint.parent, [...(below.get(joint.parent) ?? []), joint]);
    const waiting = [this.spec.root];
    for (let parent = waiting.pop(); parent !== undefined; parent = waiting.pop()) {
      for (const joint of below.get(parent) ?? []) {
        const child = this.links.get(joint.child);
        if (!child || owner.has(joint.child)) continue;
        owner.set(joint.child, joint.type === 'fixed' ? (owner.get(parent) ?? null) : joint);
        child.matrixAutoUpdate = false;
        this.links.get(parent)?.add(child);
        this.nodes.push({ joint, fixed: matrix(joint.pose), axis: new Vector3(...joint.axis).normalize(), group: child });
        waiting.push(joint.child);
      }
    }
    return owner;
  }

  private addShape(link: string, shape: SceneRobot['links'][number]['shapes'][number], owner: Joint | null): void {
    const form = geometry(shape);
    if (!form) return;
    const [r, g, b] = shape.color;
    const part = { material: new MeshLambertMaterial(), own: new Color().setRGB(r, g, b, SRGBColorSpace) };
    const mesh = new Mesh(form, part.material);
    mesh.matrixAutoUpdate = false;
    mesh.matrix.copy(matrix(shape.pose));
    mesh.renderOrder = this.spec.ghost ? 1 : 0;
    this.links.get(link)?.add(mesh);
    this.parts.set(owner, [...(this.parts.get(owner) ?? []), part]);
    form.computeBoundingBox();
    if (!form.boundingBox) return;
    const box = this.boxes.get(link) ?? new Box3();
    this.boxes.set(link, box.union(form.boundingBox.clone().applyMatrix4(mesh.matrix)));
  }

  link(name: string): Group | undefined {
    return this.links.get(name);
  }
  get place(): Vector3 {
    return new Vector3().setFromMatrixPosition(this.root.matrix);
  }

  /** Per sample the last one at or before it whose whole pose is known, else the first after it; -1: none. */
  private finite(): Int32Array {
    if (this.lastFinite) return this.lastFinite;
    const { data, spec } = this;
    const given = [...spec.joints.map((joint) => joint.position), ...spec.base].filter((channel) => channel >= 0);
    // A joint without a single number stands at zero, and does not hide the others.
    const known = given.map((channel) => data.values(channel)).filter((values) => values.some((v) => Number.isFinite(v)));
    const found = new Int32Array(data.samples).fill(-1);
    const none = given.length > 0 && known.length === 0;
    let last = -1;
    for (let i = 0; i < data.samples && !none; ++i) {
      if (known.every((values) => Number.isFinite(values[i] as number))) {
        if (last < 0) found.fill(i, 0, i);
        last = i;
      }
      found[i] = last;
    }
    return (this.lastFinite = found);
  }

  /** \return whether the pose is known at the sample */
  pose(sample: number): boolean {
    const { data, spec } = this;
    const at = this.finite()[sample] ?? -1;
    const value = (channel: ChannelId, otherwise: number): number => {
      const v = channel < 0 || at < 0 ? NaN : data.at(channel, at);
      return Number.isFinite(v) ? v : otherwise;
    };
    const [x, y, z, qx, qy, qz, qw] = spec.base.map((channel, i) => value(channel, i === 6 ? 1 : 0)) as [number, number, number, number, number, number, number];
    this.turn.set(qx, qy, qz, qw);
    if (this.turn.length() < 1e-6) this.turn.identity();
    this.root.matrix.makeRotationFromQuaternion(this.turn.normalize()).setPosition(x, y, z);
    for (const { joint, fixed, axis, group } of this.nodes) {
      group.matrix.copy(fixed);
      const q = value(joint.position, 0);
      if (q === 0) continue;
      if (joint.type === 'revolute') {
        group.matrix.multiply(this.slide.makeRotationFromQuaternion(this.turn.setFromAxisAngle(axis, q)));
      } else if (joint.type === 'prismatic') {
        group.matrix.multiply(this.slide.makeTranslation(this.along.copy(axis).multiplyScalar(q)));
      }
    }
    this.root.updateMatrixWorld(true);
    return at === sample;
  }

  private paint(part: Part, color: Color, opacity: number): void {
    part.material.color.copy(color);
    part.material.opacity = opacity;
    const transparent = opacity < 1;
    // The shader is another one where nothing shines through.
    if (part.material.transparent !== transparent) part.material.needsUpdate = true;
    part.material.transparent = transparent;
  }

  /** Poses and colours. \return whether the pose is known at the sample */
  show(choice: Choice, sample: number): boolean {
    const { data, spec } = this;
    this.root.visible = choice.meets(spec.when);
    const known = this.pose(sample);
    if (!this.root.visible) return true;
    const opacity = (spec.ghost ? GHOST : 1) * (known ? 1 : NO_NUMBERS);
    const metal = new Color(cssColor('--metal') || '#b8bec4');
    const up = new Color(cssColor('--up') || '#0072b2');
    const down = new Color(cssColor('--down') || '#d55e00');
    const tints = spec.joints.map((joint) => joint.tints.find((tint) => choice.meets(tint.when))?.channel ?? -1);
    let most = 0;
    for (const channel of tints) {
      if (channel < 0) continue;
      const size = Math.abs(data.at(channel, sample));
      most = Math.max(most, TINT_FLOOR * data.peak(channel), Number.isFinite(size) ? size : 0);
    }
    for (const [joint, parts] of this.parts) {
      const channel = joint ? (tints[spec.joints.indexOf(joint)] ?? -1) : -1;
      const part = channel < 0 ? 0 : data.at(channel, sample);
      const share = most > 0 && Number.isFinite(part) ? Math.min(1, Math.abs(part) / most) : 0;
      const mixed = metal.clone().lerp(part >= 0 ? up : down, share);
      for (const one of parts) this.paint(one, this.neutral ? mixed : one.own, opacity);
    }
    return known;
  }

  /** Adds the corners of every link's box, as the robot is posed. */
  corners(into: Vector3[]): void {
    for (const [name, link] of this.links) {
      const box = this.boxes.get(name);
      if (!box) continue;
      for (const x of [box.min.x, box.max.x]) {
        for (const y of [box.min.y, box.max.y]) {
          for (const z of [box.min.z, box.max.z]) into.push(new Vector3(x, y, z).applyMatrix4(link.matrixWorld));
        }
      }
    }
  }
}
