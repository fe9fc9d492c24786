// A scene in space at the cursor.
import {
  AmbientLight, Box3, DirectionalLight, GridHelper, HemisphereLight, Matrix4, PerspectiveCamera, Scene, Vector3, WebGLRenderer,
} from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import type { Choice } from './choice';
import type { Samples } from './data';
import { element } from './format';
import type { Anchor, SceneSpec } from './payload';
import { Robot } from './robot';
import { Arrow, Ellipsoid, Polygon, Triad, type Thing } from './things';
import { Trail } from './trail';

const FITTED_ROWS = 30;
/** A robot that travels further than so many times its size is followed instead of shown from afar. */
const FAR = 8;
/** Arrows and labels reach a little beyond the robots. */
const MARGIN = 1.12;
const WORLD = new Matrix4();

export class NoWebGL extends Error {}

/** Whether the processor itself draws: smooth edges then cost more than all the rest. */
function drawnBySoftware(context: WebGL2RenderingContext): boolean {
  const info = context.getExtension('WEBGL_debug_renderer_info');
  const name = info ? String(context.getParameter(info.UNMASKED_RENDERER_WEBGL)) : '';
  return /swiftshader|llvmpipe|software/i.test(name);
}

export class SceneView {
  readonly root = element('div', { class: 'scene' });
  private readonly robots: Robot[];
  private readonly things: Thing[] = [];
  private readonly trails: Trail[];
  private readonly scene = new Scene();
  private readonly camera = new PerspectiveCamera(32, 1, 0.02, 100);
  private readonly renderer: WebGLRenderer;
  private readonly controls: OrbitControls;
  private readonly box: HTMLElement = element('div', { class: 'robot' });
  private inView: Vector3[]; // what the camera fits
  private readonly followed: Robot | null = null;
  private readonly start = new Vector3();
  private readonly travelled = new Vector3();
  private grid: GridHelper | null = null;
  private cell = 1; // [m]
  private readonly middle = new Vector3(); // of the grid at first
  private touched = false;

  /** Throws NoWebGL where the browser has none. */
  constructor(
    private readonly data: Samples,
    private readonly choice: Choice,
    private readonly spec: SceneSpec,
    live = false, // it moves by itself: drawn as fast as samples come
  ) {
    // Asked for here: the renderer would complain in the console before it throws.
    let canvas = element('canvas');
    const ask = (antialias: boolean): WebGL2RenderingContext | null => canvas.getContext('webgl2', { antialias, alpha: true, powerPreference: 'low-power' });
    let context = ask(true);
    if (context && live && drawnBySoftware(context)) {
      context.getExtension('WEBGL_lose_context')?.loseContext();
      canvas = element('canvas');
      context = ask(false);
    }
    if (!context) throw new NoWebGL();
    this.renderer = new WebGLRenderer({ canvas, context, alpha: true });
    this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio));
    canvas.setAttribute('role', 'img');
    canvas.setAttribute('aria-label', `${spec.title || 'Robot'} ${live ? 'as it moves; the numbers are next to it' : 'at the cursor; the numbers are in the lists and in the table of rows'}`);
    this.box.append(canvas);
    this.robots = spec.robots.map((robot) => new Robot(data, robot));
    const size = this.sizeOfRobots();
    this.trails = spec.trails.map((trail) => new Trail(data, trail));
    this.things.push(...spec.polygons.map((one) => new Polygon(one)), ...this.trails,
      ...spec.frames.map((one) => new Triad(one, size)), ...spec.ellipsoids.map((one) => new Ellipsoid(one, size)),
      ...spec.arrows.map((one) => new Arrow(one, size)));
    for (const robot of this.robots) this.scene.add(robot.root);
    for (const thing of this.things) this.scene.add(thing.root);
    this.light();
    this.inView = this.everywhere();
    const whole = new Box3().setFromPoints(this.inView);
    if (whole.getSize(new Vector3()).length() > FAR * size && this.robots[0]) {
      this.followed = this.robots[0];
      this.followed.pose(0);
      this.start.copy(this.followed.place);
      this.inView = this.aroundFollowed();
      whole.setFromPoints(this.inView);
    }
    this.addGround(whole);
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, canvas);
    this.fit();
    this.listen(canvas);
    this.describe();
  }

  private light(): void {
    this.scene.add(new HemisphereLight(0xffffff, 0x8899aa, 1.6), new AmbientLight(0xffffff, 0.5));
    const sun = new DirectionalLight(0xffffff, 1.6);
    sun.position.set(2, -3, 4);
    this.scene.add(sun);
  }

  private describe(): void {
    const { spec } = this;
    if (spec.title) this.root.append(element('h4', { title: spec.title }, spec.title));
    const legend = element('ul', { class: 'scene-legend' }, ...this.things.map((thing) => thing.legend));
    if (spec.frames.length > 0) legend.append(element('li', { class: 'quiet' }, 'Axes: x vermillion, y green, z blue'));
    this.root.append(this.box, legend);
    if (spec.note) this.root.append(element('p', { class: 'quiet note' }, spec.note));
  }

  private listen(canvas: HTMLCanvasElement): void {
    // One finger scrolls the page up and down, and the wheel too until the scene has been pressed.
    canvas.style.touchAction = 'pan-y';
    this.controls.enableZoom = false;
    canvas.addEventListener('pointerdown', () => (this.controls.enableZoom = true), { capture: true });
    canvas.addEventListener('pointerleave', () => (this.controls.enableZoom = false));
    canvas.addEventListener('dblclick', () => {
      this.touched = false;
      this.fit();
      this.render();
    });
    this.controls.addEventListener('start', () => (this.touched = true));
    this.controls.addEventListener('change', () => this.render());
  }

  /** Size of the largest robot at the first row, which arrows and frames are drawn in proportion to. */
  private sizeOfRobots(): number {
    let size = 0;
    for (const robot of this.robots) {
      const corners: Vector3[] = [];
      robot.pose(0);
      robot.corners(corners);
      if (corners.length > 0) size = Math.max(size, new Box3().setFromPoints(corners).getSize(new Vector3()).length());
    }
    return size > 0 ? size : 1;
  }

  private atFirst(): Vector3[] {
    const points: Vector3[] = [];
    for (const robot of this.robots) {
      robot.pose(0);
      robot.corners(points);
    }
    return points;
  }
  /** Rows that stand for the run. */
  private someRows(): Set<number> {
    const last = this.data.samples - 1;
    return new Set(Array.from({ length: FITTED_ROWS + 1 }, (_, i) => Math.round((last * i) / FITTED_ROWS)));
  }

  /** How the robot that is followed moves, without its way. */
  private aroundFollowed(): Vector3[] {
    const points: Vector3[] = [];
    for (const sample of this.someRows()) {
      const own: Vector3[] = [];
      this.followed?.pose(sample);
      this.followed?.corners(own);
      const way = this.followed?.place.sub(this.start) ?? new Vector3();
      points.push(...own.map((p) => p.sub(way)));
    }
    return points;
  }

  /** Points of everything that stays, and of what moves at some rows of the run. */
  private everywhere(): Vector3[] {
    const points: Vector3[] = [];
    for (const sample of this.someRows()) {
      for (const robot of this.robots) {
        robot.pose(sample);
        robot.corners(points);
      }
      for (const trail of this.trails) points.push(trail.at(this.data, sample, new Vector3()));
    }
    for (const one of this.spec.frames) {
      if (one.anchor.robot < 0) points.push(new Vector3(one.X_AF[3], one.X_AF[7], one.X_AF[11]));
    }
    for (const one of this.spec.polygons) {
      if (one.anchor.robot < 0) for (const p of one.points) points.push(new Vector3(p[0], p[1], p[2]));
    }
    const known = points.filter((p) => Number.isFinite(p.x + p.y + p.z));
    return known.length > 0 ? known : [new Vector3(-0.5, -0.5, -0.5), new Vector3(0.5, 0.5, 0.5)];
  }

  private addGround(all: Box3): void {
    const first = new Box3().setFromPoints(this.atFirst());
    const height = this.spec.ground ?? (first.isEmpty() ? all.min.z : first.min.z);
    const size = all.getSize(new Vector3());
    const middle = all.getCenter(new Vector3());
    // Squares of 0.25 m, or of as many as keep the grid light.
    const extent = Math.max(1, Math.ceil(Math.max(size.x, size.y, size.z) * (this.followed ? 6 : 1.5)));
    const cell = extent > 50 ? extent / 100 : extent > 12 ? 1 : 0.25;
    this.cell = cell;
    const grid = new GridHelper(extent, Math.round(extent / cell), 0x888888, 0x888888);
    grid.rotateX(Math.PI / 2);
    grid.position.set(middle.x, middle.y, height);
    this.middle.copy(grid.position);
    grid.material.opacity = 0.25;
    grid.material.transparent = true;
    this.grid = grid;
    this.scene.add(grid);
  }

  /** Turns to everything that moves, as near as it stays in view. */
  private fit(): void {
    const view = new Vector3(1.05, -1.05, 0.45).normalize();
    const side = new Vector3().crossVectors(new Vector3(0, 0, 1), view).normalize();
    const up = new Vector3().crossVectors(view, side);
    const axes = [side, up, view];
    const middle = new Vector3();
    for (const axis of axes) {
      let [low, high] = [Infinity, -Infinity];
      for (const p of this.inView) {
        const along = p.dot(axis);
        low = Math.min(low, along);
        high = Math.max(high, along);
      }
      middle.addScaledVector(axis, (low + high) / 2);
    }
    const tall = Math.tan((this.camera.fov * Math.PI) / 360);
    const wide = tall * this.camera.aspect;
    let distance = 0.1;
    const from = new Vector3();
    for (const p of this.inView) {
      from.subVectors(p, middle);
      distance = Math.max(distance, from.dot(view) + Math.max(Math.abs(from.dot(side)) / wide, Math.abs(from.dot(up)) / tall));
    }
    middle.add(this.travelled);
    this.camera.far = 20 * distance;
    this.camera.near = distance / 200;
    this.camera.position.copy(middle).addScaledVector(view, MARGIN * distance);
    this.camera.updateProjectionMatrix();
    this.controls.target.copy(middle);
    this.controls.update();
  }

  private readonly place = (anchor: Anchor): Matrix4 | null => {
    if (anchor.robot < 0) return WORLD;
    const robot = this.robots[anchor.robot];
    if (!robot) return null;
    return (anchor.link === '' ? robot.root : robot.link(anchor.link))?.matrixWorld ?? null;
  };

  /** \return whether every robot's pose is known at the sample */
  show(sample: number): boolean {
    let known = true;
    for (const robot of this.robots) known = robot.show(this.choice, sample) && known;
    for (const thing of this.things) {
      if (this.choice.meets(thing.when)) thing.show(this.data, sample, this.place);
      else thing.root.visible = false;
    }
    if (this.followed) {
      const moved = this.followed.place.sub(this.start).sub(this.travelled);
      this.travelled.add(moved);
      // The grid comes along by whole squares: it looks as if it stood.
      const whole = (v: number): number => Math.round(v / this.cell) * this.cell;
      this.grid?.position.set(this.middle.x + whole(this.travelled.x), this.middle.y + whole(this.travelled.y), this.middle.z);
      this.camera.position.add(moved);
      this.controls.target.add(moved);
      this.controls.update();
    }
    this.render();
    return known;
  }

  /** Draws less sharply, for a machine that cannot keep up. \param share of the pixels along each side */
  soften(share: number): void {
    this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio) * share);
    this.resize();
  }

  /** For a robot whose motion nobody knows beforehand: steps back where a part of it has left the picture. \param
   * floating  nobody knows how high its base is: the ground is put below its lowest point */
  follow(floating: boolean): void {
    const points: Vector3[] = [];
    for (const robot of this.robots) robot.corners(points);
    if (points.length === 0) return;
    const lowest = points.reduce((low, p) => Math.min(low, p.z), Infinity);
    if (floating && this.grid && Number.isFinite(lowest)) this.grid.position.z = lowest;
    if (this.touched) return;
    const seen = new Vector3();
    const outside = points.some((p) => {
      seen.copy(p).project(this.camera);
      return Math.abs(seen.x) > 1 || Math.abs(seen.y) > 1;
    });
    if (!outside) return;
    const { min, max } = new Box3().setFromPoints([...this.inView, ...points]);
    this.inView = [min.x, max.x].flatMap((x) => [min.y, max.y].flatMap((y) => [min.z, max.z].map((z) => new Vector3(x, y, z))));
    this.fit();
  }

  /** Shows what is chosen; the cursor draws it. */
  refresh(): boolean {
    const shown = this.choice.meets(this.spec.when);
    this.root.hidden = !shown;
    const told = new Set<string>();
    for (const thing of this.things) {
      // Things of one name and scale, as one at each hand, are told once.
      thing.legend.hidden = false;
      const text = thing.legend.outerHTML;
      thing.legend.hidden = !this.choice.meets(thing.when) || told.has(text);
      if (!thing.legend.hidden) told.add(text);
      thing.recolor();
    }
    return shown;
  }

  resize(): void {
    const width = Math.max(120, this.box.clientWidth);
    const height = Math.max(120, this.box.clientHeight);
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    if (!this.touched) this.fit();
    this.render();
  }

  private render(): void {
    this.renderer.render(this.scene, this.camera);
  }
}
