// What the page draws: the structs of include/antaeus/report/{views,scene}.hpp as JSON, one object each.

export interface Packed {
  type: 'f32' | 'f64' | 'i32' | 'u8';
  data: string; // base64, little-endian
}
export type Numbers = Float32Array | Float64Array | Int32Array | Uint8Array;

export type Tone = 'blue' | 'vermillion' | 'green' | 'purple' | 'orange' | 'sky' | 'ink' | 'muted';
/** Pairs of selector and option, all of which hold. */
export type Conditions = [number, number][];
/** Place of a channel; negative: none. */
export type ChannelId = number;
export type Pose = number[]; // 3 x 4, row by row: rotation | translation

export interface Run {
  name: string;
  steps: number;
  first_step: number;
  bin: number;
  whole_begin: number;
  whole_end: number;
  rows: Packed;
  time: Packed | null;
}
export interface Selector {
  id: string;
  label: string;
  options: string[];
  chosen: number[];
  multiple: boolean;
}
export interface Line {
  name: string;
  channel: ChannelId;
  sd: ChannelId;
  low: ChannelId;
  high: ChannelId;
  tone: Tone;
  follows_choice: boolean;
  dashed: boolean;
  wide: boolean;
  shown: boolean;
  scales: boolean;
  when: Conditions;
}
export interface Lane {
  name: string;
  channel: ChannelId;
  words: string[];
  filled: boolean[];
  tone: Tone;
}
export interface RawTexts {
  from: Packed;
  to: Packed;
  lane: Packed;
  text: Packed;
  sentence: Packed;
  strings: string[];
}
export interface ViewPanel {
  id: string;
  title: string;
  unit: string;
  lines: Line[];
  limits: { value: number | null; label: string }[];
  lanes: Lane[];
  texts: RawTexts;
  marks: { row: number; text: string }[];
  logarithmic: boolean;
  detail: boolean;
  run: number; // whose rows are the axis
  when: Conditions;
}
export interface Reading {
  label: string;
  unit: string;
  channel: ChannelId;
  sd: ChannelId;
  words: string[];
  digits: number;
  when: Conditions;
}
export interface BarList {
  title: string;
  value_head: string;
  aside_head: string;
  unit: string;
  aside_unit: string;
  rows: { label: string; title: string; value: ChannelId; aside: ChannelId; option: number }[];
  selector: number;
  total: ChannelId;
  when: Conditions;
}

export interface Shape {
  kind: 'box' | 'cylinder' | 'capsule' | 'sphere' | 'mesh';
  pose: Pose;
  size: [number, number, number];
  color: [number, number, number, number];
  vertices?: Packed;
  indices?: Packed;
}
export interface Joint {
  name: string;
  type: 'revolute' | 'prismatic' | 'fixed';
  parent: string;
  child: string;
  pose: Pose;
  axis: [number, number, number];
  position: ChannelId;
  tints: { channel: ChannelId; when: Conditions }[];
}
export interface SceneRobot {
  root: string;
  links: { name: string; shapes: Shape[] }[];
  joints: Joint[];
  base: ChannelId[];
  ghost: boolean;
  when: Conditions;
}
export interface Anchor {
  robot: number;
  link: string;
}
interface Thing {
  name: string;
  tone: Tone;
  when: Conditions;
}
export interface SceneArrow extends Thing {
  unit: string;
  anchor: Anchor;
  vector: ChannelId[];
  from: ChannelId[];
  meters_per_unit: number;
}
export interface SceneEllipsoid extends Thing {
  unit: string;
  anchor: Anchor;
  axes: ChannelId[];
  meters_per_unit: number;
}
export interface SceneTrail extends Thing {
  point: ChannelId[];
}
export interface ScenePolygon extends Thing {
  anchor: Anchor;
  points: number[][];
}
export interface SceneFrame {
  name: string;
  anchor: Anchor;
  X_AF: Pose;
  target: boolean;
  when: Conditions;
}
export interface SceneSpec {
  title: string;
  note: string;
  robots: SceneRobot[];
  arrows: SceneArrow[];
  ellipsoids: SceneEllipsoid[];
  trails: SceneTrail[];
  polygons: ScenePolygon[];
  frames: SceneFrame[];
  ground: number | null;
  when: Conditions;
}
export interface Views {
  schema: string;
  runs: Run[];
  channels: { run: number; type: 'f32' | 'u8'; data: string }[];
  selectors: Selector[];
  scenes: SceneSpec[];
  panels: ViewPanel[];
  bars: BarList[];
  readings: Reading[];
  columns: Reading[];
  focus: number;
  focus_name: string;
  comparisons_name: string;
  note: string;
}

export const SCHEMA = 'antaeus.views/1';

export function unpack(packed: Packed): Numbers {
  const text = atob(packed.data);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
  const kinds = { f32: Float32Array, f64: Float64Array, i32: Int32Array, u8: Uint8Array };
  return new kinds[packed.type](bytes.buffer as ArrayBuffer);
}

export function parse(text: string): Views {
  const views = JSON.parse(text) as Views;
  if (views.schema !== SCHEMA) throw new Error(`the page's data are ${views.schema}, this viewer reads ${SCHEMA}`);
  return views;
}
