// What stands in a scene beside robots. Each thing shows itself at a sample and has a line in the legend.
import {
  BufferGeometry, Color, ConeGeometry, CylinderGeometry, DoubleSide, Float32BufferAttribute, Group, LineBasicMaterial,
  LineLoop, type Matrix4, Mesh, MeshBasicMaterial, MeshLambertMaterial, type Object3D, ShapeUtils, SphereGeometry,
  TorusGeometry, Vector2, Vector3,
} from 'three';
import type { Samples } from './data';
import { cssColor, element, swatch, tick, toneVariable, withUnit } from './format';
import type { Anchor, ChannelId, Conditions, SceneArrow, SceneEllipsoid, SceneFrame, ScenePolygon, Tone } from './payload';
import { matrix } from './shapes';

/** Where an anchor is now; null where there is no such link. */
export type Place = (anchor: Anchor) => Matrix4 | null;

export interface Thing {
  readonly when: Conditions;
  readonly root: Object3D;
  readonly legend: HTMLElement;
  show(data: Samples, sample: number, place: Place): void;
  recolor(): void;
}

const UP = new Vector3(0, 1, 0);
/** [m/N] No force is drawn larger: the few newtons that are left where nothing touches would fill the scene. */
const LARGEST_FORCE_SCALE = 0.025;
export const colorOf = (tone: Tone): Color => new Color(cssColor(toneVariable(tone)) || '#0072b2');
export const vector = (data: Samples, channels: ChannelId[], sample: number, into: Vector3, first = 0): Vector3 =>
  into.set(data.at(channels[first] ?? -1, sample), data.at(channels[first + 1] ?? -1, sample), data.at(channels[first + 2] ?? -1, sample));
const isFinite3 = (v: Vector3): boolean => Number.isFinite(v.x) && Number.isFinite(v.y) && Number.isFinite(v.z);

/** A length and what it stands for, one of them round. */
export function scaleText(metersPerUnit: number, unit: string): string {
  const round = (v: number): boolean => /^0*[1-9]0*$/.test(Number(v.toPrecision(6)).toString().replace('.', ''));
  const lengths = [0.1, 0.2, 0.5, 0.05, 0.02, 0.01, 1];
  const length = lengths.find((one) => one / metersPerUnit >= 1 && round(one / metersPerUnit)) ?? 0.1;
  return `${withUnit(String(length), 'm')} is ${withUnit(tick(+(length / metersPerUnit).toPrecision(3)), unit)}`;
}
const entry = (variable: string, kind: string, name: string, more = ''): HTMLElement =>
  element('li', { class: 'quiet' }, swatch(variable, kind), name + (more ? ` (${more})` : ''));

/** A vector. */
export class Arrow implements Thing {
  readonly root = new Group();
  readonly legend: HTMLElement;
  readonly when: Conditions;
  private readonly material = new MeshLambertMaterial();
  private readonly shaft: Mesh;
  private readonly head: Mesh;
  private readonly value = new Vector3();
  private readonly from = new Vector3();
  private readonly scale: number; // [m] a unit

  constructor(private readonly spec: SceneArrow, private readonly size: number) {
    this.when = spec.when;
    const limited = spec.unit === 'N' && spec.meters_per_unit > LARGEST_FORCE_SCALE;
    this.scale = limited ? LARGEST_FORCE_SCALE : spec.meters_per_unit;
    this.shaft = new Mesh(new CylinderGeometry(0.01 * size, 0.01 * size, 1, 16).translate(0, 0.5, 0), this.material);
    this.head = new Mesh(new ConeGeometry(0.026 * size, 0.064 * size, 20).translate(0, 0.032 * size, 0), this.material);
    this.root.add(this.shaft, this.head);
    const told = scaleText(this.scale, spec.unit);
    this.legend = entry(toneVariable(spec.tone), '', spec.name, limited ? `${told}, the largest scale of a force` : told);
    this.recolor();
  }
  recolor(): void {
    this.material.color.copy(colorOf(this.spec.tone));
  }
  show(data: Samples, sample: number, place: Place): void {
    const { spec, size } = this;
    vector(data, spec.vector, sample, this.value);
    const at = place(spec.anchor);
    if (spec.from.some((channel) => channel >= 0)) vector(data, spec.from, sample, this.from);
    else if (at) this.from.setFromMatrixPosition(at);
    else this.from.set(NaN, NaN, NaN);
    const length = this.value.length() * this.scale;
    this.root.visible = isFinite3(this.from) && Number.isFinite(length) && length > 0.01 * size;
    if (!this.root.visible) return;
    this.root.position.copy(this.from);
    this.root.quaternion.setFromUnitVectors(UP, this.value.normalize());
    // A short one is its head alone, in proportion.
    const tip = Math.min(1, length / (0.064 * size));
    this.head.scale.setScalar(tip);
    this.head.position.y = length - 0.064 * size * tip;
    this.shaft.scale.y = Math.max(1e-6, this.head.position.y);
  }
}

/** Three axes, with the longest as a double arrow. */
export class Ellipsoid implements Thing {
  readonly root = new Group();
  readonly legend: HTMLElement;
  readonly when: Conditions;
  private readonly materials: MeshLambertMaterial[];
  private readonly ball: Mesh;
  private readonly shaft: Mesh;
  private readonly tips: Mesh[];
  private readonly axes = [new Vector3(), new Vector3(), new Vector3()];

  constructor(private readonly spec: SceneEllipsoid, private readonly size: number) {
    this.when = spec.when;
    // Seen through the robot: it stands around a link.
    const layer = { transparent: true, depthTest: false, depthWrite: false };
    const soft = new MeshLambertMaterial({ ...layer, opacity: 0.3, side: DoubleSide });
    const solid = new MeshLambertMaterial({ ...layer, opacity: 0.95 });
    this.materials = [soft, solid];
    this.ball = new Mesh(new SphereGeometry(1, 32, 20), soft);
    this.ball.matrixAutoUpdate = false;
    this.shaft = new Mesh(new CylinderGeometry(0.0043 * size, 0.0043 * size, 1, 12), solid);
    this.tips = [1, -1].map(() => new Mesh(new ConeGeometry(0.014 * size, 0.036 * size, 16).translate(0, -0.018 * size, 0), solid));
    this.ball.renderOrder = 2;
    for (const part of [this.shaft, ...this.tips]) part.renderOrder = 3;
    this.root.add(this.ball, this.shaft, ...this.tips);
    this.legend = entry(toneVariable(spec.tone), 'round', spec.name, `${scaleText(spec.meters_per_unit, spec.unit)}; double arrow: its longest axis`);
    this.recolor();
  }
  recolor(): void {
    for (const material of this.materials) material.color.copy(colorOf(this.spec.tone));
  }
  show(data: Samples, sample: number, place: Place): void {
    const { spec, size } = this;
    const at = place(spec.anchor);
    this.axes.forEach((axis, i) => {
      vector(data, spec.axes, sample, axis, 3 * i).multiplyScalar(spec.meters_per_unit);
      // Without any thickness it would vanish; a length of zero has no direction.
      if (axis.length() < 0.003 * size && axis.length() > 0) axis.setLength(0.003 * size);
    });
    const [a, b, longest] = this.axes as [Vector3, Vector3, Vector3];
    this.root.visible = at !== null && this.axes.every(isFinite3) && longest.length() > 0;
    if (!this.root.visible || !at) return;
    this.ball.matrix.makeBasis(a, b, longest);
    this.root.position.setFromMatrixPosition(at);
    const direction = longest.clone().normalize();
    this.shaft.quaternion.setFromUnitVectors(UP, direction);
    this.shaft.scale.y = 2 * longest.length();
    this.tips.forEach((tip, i) => {
      const side = i === 0 ? 1 : -1;
      tip.position.copy(longest).multiplyScalar(side);
      tip.quaternion.setFromUnitVectors(UP, direction.clone().multiplyScalar(side));
      tip.visible = longest.length() > 0.045 * size;
    });
  }
}

/** A surface with its edge. */
export class Polygon implements Thing {
  readonly root = new Group();
  readonly legend: HTMLElement;
  readonly when: Conditions;
  private readonly fill = new MeshBasicMaterial({ transparent: true, opacity: 0.22, side: DoubleSide, depthWrite: false });
  private readonly edge = new LineBasicMaterial();

  constructor(private readonly spec: ScenePolygon) {
    this.when = spec.when;
    const points = spec.points.map((p) => new Vector3(p[0] ?? NaN, p[1] ?? NaN, p[2] ?? NaN)).filter(isFinite3);
    const flat = new BufferGeometry();
    flat.setAttribute('position', new Float32BufferAttribute(points.flatMap((p) => [p.x, p.y, p.z]), 3));
    flat.setIndex(triangles(points));
    this.root.add(new Mesh(flat, this.fill), new LineLoop(new BufferGeometry().setFromPoints(points), this.edge));
    this.root.matrixAutoUpdate = false;
    this.legend = entry(toneVariable(spec.tone), 'square', spec.name);
    this.recolor();
  }
  recolor(): void {
    this.fill.color.copy(colorOf(this.spec.tone));
    this.edge.color.copy(colorOf(this.spec.tone));
  }
  show(_data: Samples, _sample: number, place: Place): void {
    const at = place(this.spec.anchor);
    this.root.visible = at !== null;
    if (!at) return;
    this.root.matrix.copy(at);
    this.root.matrixWorldNeedsUpdate = true;
  }
}

/** Triangles of a flat outline, seen along the axis that it is most square to. */
function triangles(points: Vector3[]): number[] {
  if (points.length < 3) return [];
  const normal = new Vector3();
  points.forEach((p, i) => normal.add(new Vector3().crossVectors(p, points[(i + 1) % points.length] as Vector3)));
  const [x, y, z] = [Math.abs(normal.x), Math.abs(normal.y), Math.abs(normal.z)];
  const flat = points.map((p) => (z >= x && z >= y ? new Vector2(p.x, p.y) : x >= y ? new Vector2(p.y, p.z) : new Vector2(p.z, p.x)));
  return ShapeUtils.triangulateShape(flat, []).flat();
}

/** Three axes: x vermillion, y green, z blue; a target has a ring around it. */
export class Triad implements Thing {
  readonly root = new Group();
  readonly legend: HTMLElement;
  readonly when: Conditions;
  private readonly materials: [MeshLambertMaterial, Tone][] = [];
  private readonly offset: Matrix4;

  constructor(private readonly spec: SceneFrame, size: number) {
    this.when = spec.when;
    this.offset = matrix(spec.X_AF);
    this.root.matrixAutoUpdate = false;
    const length = 0.08 * size;
    (['vermillion', 'green', 'blue'] as Tone[]).forEach((tone, i) => {
      const rod = new CylinderGeometry(0.05 * length, 0.05 * length, length, 12).translate(0, length / 2, 0);
      if (i === 0) rod.rotateZ(-Math.PI / 2);
      if (i === 2) rod.rotateX(Math.PI / 2);
      this.add(rod, tone);
    });
    if (spec.target) this.add(new TorusGeometry(0.75 * length, 0.05 * length, 12, 40), 'purple');
    this.legend = entry(spec.target ? '--c4' : '--c3', spec.target ? 'ring' : 'cross', spec.name);
    this.recolor();
  }
  private add(form: BufferGeometry, tone: Tone): void {
    const material = new MeshLambertMaterial();
    this.materials.push([material, tone]);
    this.root.add(new Mesh(form, material));
  }
  recolor(): void {
    for (const [material, tone] of this.materials) material.color.copy(colorOf(tone));
  }
  show(_data: Samples, _sample: number, place: Place): void {
    const at = place(this.spec.anchor);
    this.root.visible = at !== null;
    if (!at) return;
    this.root.matrix.copy(at).multiply(this.offset);
    this.root.matrixWorldNeedsUpdate = true;
  }
}
