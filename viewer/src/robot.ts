// The robot from its own shapes, posed at the cursor, coloured by what each joint adds to Fz.
import {
  AmbientLight, BoxGeometry, BufferGeometry, CapsuleGeometry, Color, ConeGeometry, CylinderGeometry, DirectionalLight,
  Float32BufferAttribute, GridHelper, Group, Matrix4, Mesh, MeshLambertMaterial, PerspectiveCamera, Quaternion, Scene,
  SphereGeometry, Vector3, WebGLRenderer, Box3, HemisphereLight, DoubleSide,
} from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { unpack, type Data, type Joint, type Pose, type Series, type Shape } from './data';
import { cssColor, element } from './format';

const matrix = (p: Pose): Matrix4 => {
  const n = (i: number): number => p[i] ?? 0;
  return new Matrix4().set(n(0), n(1), n(2), n(3), n(4), n(5), n(6), n(7), n(8), n(9), n(10), n(11), 0, 0, 0, 1);
};

function geometry(shape: Shape): BufferGeometry | null {
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
      if (!shape.triangles) return null;
      const made = new BufferGeometry();
      made.setAttribute('position', new Float32BufferAttribute(unpack(shape.triangles).column(0) as Float32Array, 3));
      made.computeVertexNormals();
      return made;
    }
  }
}

/** Size of an uncertainty ellipsoid: the same in every report, so that they can be compared. */
export const METERS_PER_SD = 0.01;
const LONGEST_SD = 0.5; // [m] on each side
const THINNEST_SD = 0.004;

/** One sd of the force at a hand, with the direction of which least is known as a double arrow. */
class Ellipsoid {
  readonly root = new Group();
  private readonly ball: Mesh;
  private readonly shaft: Mesh;
  private readonly tips: Mesh[];
  private readonly axes = [new Vector3(), new Vector3(), new Vector3()];

  constructor(color: Color) {
    // Seen through the arm: it stands around the wrist.
    const layer = { color, transparent: true, depthTest: false, depthWrite: false };
    this.ball = new Mesh(new SphereGeometry(1, 32, 20), new MeshLambertMaterial({ ...layer, opacity: 0.3, side: DoubleSide }));
    this.ball.matrixAutoUpdate = false;
    const solid = new MeshLambertMaterial({ ...layer, opacity: 0.95 });
    this.shaft = new Mesh(new CylinderGeometry(0.006, 0.006, 1, 12), solid);
    this.tips = [1, -1].map(() => new Mesh(new ConeGeometry(0.02, 0.05, 16).translate(0, -0.025, 0), solid));
    this.ball.renderOrder = 2;
    for (const part of [this.shaft, ...this.tips]) part.renderOrder = 3;
    this.root.add(this.ball, this.shaft, ...this.tips);
  }

  show(series: Series, sample: number, link: Group | undefined): void {
    const axes = series.posterior?.axes;
    this.root.visible = axes != null && link !== undefined && Number.isFinite(axes.at(0, sample));
    if (!this.root.visible || !axes || !link) return;
    this.axes.forEach((axis, i) => {
      axis.set(axes.at(3 * i, sample), axes.at(3 * i + 1, sample), axes.at(3 * i + 2, sample)).multiplyScalar(METERS_PER_SD);
      axis.setLength(Math.min(LONGEST_SD, Math.max(THINNEST_SD, axis.length())));
    });
    const [a, b, worst] = this.axes as [Vector3, Vector3, Vector3];
    this.ball.matrix.makeBasis(a, b, worst);
    this.root.position.setFromMatrixPosition(link.matrixWorld);
    const direction = worst.clone().normalize();
    const up = new Vector3(0, 1, 0);
    this.shaft.quaternion.setFromUnitVectors(up, direction);
    this.shaft.scale.y = 2 * worst.length();
    this.tips.forEach((tip, i) => {
      const side = i === 0 ? 1 : -1;
      tip.position.copy(worst).multiplyScalar(side);
      tip.quaternion.setFromUnitVectors(up, direction.clone().multiplyScalar(side));
      tip.visible = worst.length() > 0.06;
    });
  }
}

interface Node {
  joint: Joint;
  fixed: Matrix4;
  group: Group;
}

export class RobotView {
  readonly root = element('div', { class: 'robot' });
  private readonly renderer: WebGLRenderer;
  private readonly scene = new Scene();
  private readonly camera = new PerspectiveCamera(32, 1, 0.02, 100);
  private readonly controls: OrbitControls;
  private readonly links = new Map<string, Group>();
  private readonly nodes: Node[] = [];
  private readonly materials = new Map<number, MeshLambertMaterial[]>();
  private readonly arrow = new Group();
  private readonly shaft: Mesh;
  private readonly head: Mesh;
  private readonly ellipsoids = new Map<Series, Ellipsoid>();
  private metersPerNewton = 0.001;
  private readonly turn = new Quaternion();
  private readonly slide = new Matrix4();

  /** Throws where the browser has no WebGL. */
  constructor(private readonly data: Data) {
    this.renderer = new WebGLRenderer({ antialias: true, alpha: true, powerPreference: 'low-power' });
    this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio));
    this.root.append(this.renderer.domElement);
    this.renderer.domElement.setAttribute('role', 'img');
    this.renderer.domElement.setAttribute(
      'aria-label',
      'The robot at the cursor, coloured by what each joint adds to Fz, with the doubt about the force at each hand; the same numbers stand in the list of joints and in the table of steps',
    );
    this.scene.add(new HemisphereLight(0xffffff, 0x8899aa, 1.6), new AmbientLight(0xffffff, 0.5));
    const sun = new DirectionalLight(0xffffff, 1.6);
    sun.position.set(2, -3, 4);
    this.scene.add(sun);
    this.makeTree();
    const arrowColor = new MeshLambertMaterial({ color: new Color(cssColor('--arrow') || '#d55e00') });
    this.shaft = new Mesh(new CylinderGeometry(0.014, 0.014, 1, 16).translate(0, 0.5, 0), arrowColor);
    this.head = new Mesh(new ConeGeometry(0.036, 0.09, 20).translate(0, 0.045, 0), arrowColor);
    this.arrow.add(this.shaft, this.head);
    this.scene.add(this.arrow);
    for (const series of data.series) {
      if (!series.posterior?.axes) continue;
      const ellipsoid = new Ellipsoid(new Color(cssColor('--c1') || '#0072b2'));
      this.ellipsoids.set(series, ellipsoid);
      this.scene.add(ellipsoid.root);
    }

    this.pose(0);
    const box = new Box3().setFromObject(this.links.get(data.robot.root) ?? new Group());
    const size = box.isEmpty() ? 1 : box.getSize(new Vector3()).length();
    const middle = box.isEmpty() ? new Vector3() : box.getCenter(new Vector3());
    const grid = new GridHelper(Math.ceil(size * 1.5), Math.ceil(size * 6), 0x888888, 0x888888);
    grid.rotateX(Math.PI / 2);
    grid.position.z = box.isEmpty() ? 0 : box.min.z;
    (grid.material as { opacity: number; transparent: boolean }).opacity = 0.25;
    (grid.material as { opacity: number; transparent: boolean }).transparent = true;
    this.scene.add(grid);
    this.camera.up.set(0, 0, 1);
    this.camera.position.copy(middle).add(new Vector3(1.05, -1.05, 0.45).multiplyScalar(size * 1.12));
    this.controls = new OrbitControls(this.camera, this.renderer.domElement);
    this.controls.target.copy(middle);
    this.controls.enableZoom = true;
    this.controls.update();
    this.controls.addEventListener('change', () => this.render());
  }

  private makeTree(): void {
    const robot = this.data.robot;
    for (const link of robot.links) this.links.set(link.name, new Group());
    const owner = new Map<string, number>([[robot.root, -1]]);
    const waiting = [...robot.joints];
    for (let progress = true; progress && waiting.length > 0; ) {
      progress = false;
      for (let i = waiting.length - 1; i >= 0; --i) {
        const joint = waiting[i] as Joint;
        if (!owner.has(joint.parent)) continue;
        waiting.splice(i, 1);
        progress = true;
        owner.set(joint.child, joint.motor ?? owner.get(joint.parent) ?? -1);
        const child = this.links.get(joint.child) as Group;
        child.matrixAutoUpdate = false;
        this.links.get(joint.parent)?.add(child);
        this.nodes.push({ joint, fixed: matrix(joint.pose), group: child });
      }
    }
    for (const link of robot.links) {
      const motor = owner.get(link.name) ?? -1;
      for (const shape of link.shapes) {
        const form = geometry(shape);
        if (!form) continue;
        const material = new MeshLambertMaterial();
        const mesh = new Mesh(form, material);
        mesh.matrixAutoUpdate = false;
        mesh.matrix.copy(matrix(shape.pose));
        this.links.get(link.name)?.add(mesh);
        this.materials.set(motor, [...(this.materials.get(motor) ?? []), material]);
      }
    }
    this.scene.add(this.links.get(robot.root) ?? new Group());
  }

  private pose(sample: number): void {
    for (const { joint, fixed, group } of this.nodes) {
      group.matrix.copy(fixed);
      if (joint.motor === null || !this.data.q) continue;
      const q = this.data.q.at(joint.motor, sample);
      if (!Number.isFinite(q)) continue;
      const axis = new Vector3(...joint.axis);
      if (joint.type === 'revolute') {
        group.matrix.multiply(this.slide.makeRotationFromQuaternion(this.turn.setFromAxisAngle(axis, q)));
      } else if (joint.type === 'prismatic') {
        group.matrix.multiply(this.slide.makeTranslation(axis.multiplyScalar(q)));
      }
    }
    this.links.get(this.data.robot.root)?.updateMatrixWorld(true);
  }

  /** Newton that an arrow of 0.5 m stands for. */
  scale(newton: number): void {
    this.metersPerNewton = newton > 0 ? 0.5 / newton : 0.001;
  }

  private linkOf(series: Series): Group | undefined {
    return this.links.get(series.endpoint) ??
      this.links.get(this.data.robot.joints.find((j) => j.name === series.endpoint)?.child ?? '');
  }

  show(series: Series, sample: number): void {
    this.pose(sample);
    const plain = new Color(cssColor('--metal') || '#b8bec4');
    const up = new Color(cssColor('--up') || '#0072b2');
    const down = new Color(cssColor('--down') || '#d55e00');
    let most = 0;
    const parts = series.contribution;
    for (let m = 0; parts && m < parts.count; ++m) {
      const size = Math.abs(parts.at(m, sample));
      if (size > most) most = size;
    }
    for (const [motor, materials] of this.materials) {
      const part = parts && motor >= 0 ? parts.at(motor, sample) : 0;
      const share = most > 0 && Number.isFinite(part) ? Math.min(1, Math.abs(part) / Math.max(most, 20)) : 0;
      for (const material of materials) material.color.copy(plain).lerp(part >= 0 ? up : down, share);
    }
    const force = new Vector3(series.force.at(0, sample), series.force.at(1, sample), series.force.at(2, sample));
    const length = Math.min(1.1, force.length() * this.metersPerNewton);
    const link = this.linkOf(series);
    for (const [hand, ellipsoid] of this.ellipsoids) ellipsoid.show(hand, sample, this.linkOf(hand));
    this.arrow.visible = Number.isFinite(length) && length > 0.02 && link !== undefined;
    if (this.arrow.visible && link) {
      this.arrow.position.setFromMatrixPosition(link.matrixWorld);
      this.arrow.quaternion.setFromUnitVectors(new Vector3(0, 1, 0), force.normalize());
      this.shaft.scale.y = Math.max(0.001, length - 0.09);
      this.head.position.y = Math.max(0, length - 0.09);
    }
    this.render();
  }

  resize(): void {
    const width = Math.max(120, this.root.clientWidth);
    const height = Math.max(120, this.root.clientHeight);
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.render();
  }

  private render(): void {
    this.renderer.render(this.scene, this.camera);
  }
}
