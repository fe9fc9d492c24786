// The way of a point: what lies before the cursor is stronger than what comes.
import { Color, Group, Vector3 } from 'three';
import { LineMaterial } from 'three/examples/jsm/lines/LineMaterial.js';
import { LineSegments2 } from 'three/examples/jsm/lines/LineSegments2.js';
import { LineSegmentsGeometry } from 'three/examples/jsm/lines/LineSegmentsGeometry.js';
import type { Samples } from './data';
import { cssColor, element, swatch, toneVariable } from './format';
import type { Conditions, SceneTrail } from './payload';
import { colorOf, vector, type Thing } from './things';

/** More pieces than this slow a page that draws without a graphics card. */
const MOST_PIECES = 1000;

export class Trail implements Thing {
  readonly root = new Group();
  readonly legend: HTMLElement;
  readonly when: Conditions;
  private readonly weak = new LineMaterial({ linewidth: 1.5 });
  private readonly strong = new LineMaterial({ linewidth: 2.5 });
  private readonly past: LineSegmentsGeometry | null = null;
  private readonly samples: number[] = []; // at which each piece ends

  constructor(data: Samples, private readonly spec: SceneTrail) {
    this.when = spec.when;
    const pieces = this.pieces(data);
    this.legend = element('li', { class: 'quiet' }, swatch(toneVariable(spec.tone)), `${spec.name} (stronger before the cursor)`);
    if (pieces.length > 0) {
      const all = new LineSegmentsGeometry().setPositions(pieces);
      this.past = new LineSegmentsGeometry().setPositions(pieces);
      for (const line of [new LineSegments2(all, this.weak), new LineSegments2(this.past, this.strong)]) {
        line.frustumCulled = false;
        this.root.add(line);
      }
    }
    this.recolor();
  }

  /** The way in steps so long that they are few enough. */
  private pieces(data: Samples): number[] {
    const pieces: number[] = [];
    const [before, point] = [new Vector3(), new Vector3()];
    for (let length = 0; ; length = Math.max(2 * length, 0.0005)) {
      pieces.length = this.samples.length = 0;
      before.set(NaN, NaN, NaN);
      for (let i = 0; i < data.samples && this.samples.length <= MOST_PIECES; ++i) {
        this.at(data, i, point);
        const far = point.distanceTo(before);
        if (far < length && i < data.samples - 1) continue;
        if (Number.isFinite(far)) {
          pieces.push(before.x, before.y, before.z, point.x, point.y, point.z);
          this.samples.push(i);
        }
        before.copy(point);
      }
      if (this.samples.length <= MOST_PIECES) return pieces;
    }
  }
  recolor(): void {
    this.strong.color.copy(colorOf(this.spec.tone));
    // Mixed, not transparent: where pieces meet they would cover each other twice.
    this.weak.color.copy(this.strong.color).lerp(new Color(cssColor('--soft') || '#ffffff'), 0.6);
  }
  show(_data: Samples, sample: number): void {
    this.root.visible = this.past !== null;
    if (!this.past) return;
    let low = 0;
    let high = this.samples.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.samples[middle] as number) <= sample) low = middle + 1;
      else high = middle;
    }
    this.past.instanceCount = low;
  }
  /** Where the point is at a sample. */
  at(data: Samples, sample: number, into: Vector3): Vector3 {
    return vector(data, this.spec.point, sample, into);
  }
}
