// The robot of a live page: the report's scene, posed by the newest sample.
import { Choice } from './choice';
import type { Samples } from './data';
import { FORCES, type Layout, type Moment } from './live_stream';
import type { ChannelId, Numbers, Views } from './payload';
import { SceneView } from './scene';

/** A joint is coloured from one sd of its residual on, and fully at this many: its limit in the plots. */
export const LIMIT_SDS = 3;

/** [N] Two arrows that differ by less would cover each other. */
const SAME_FORCE = 0.5;
const JUDGED_EVERY = 2000; // [ms]
/** The share of the samples that shall be drawn, and how coarse it may get for that. */
const SMOOTH = 0.8;
const COARSEST = 0.5;

/** One sample whose numbers change. Channels behind the record's are the joints' colours. */
class LiveSamples implements Samples {
  readonly samples = 1;
  private readonly numbers: Float32Array;

  constructor(private readonly layout: Layout) {
    this.numbers = new Float32Array(layout.scene + layout.motors);
    this.numbers[layout.base + 3] = 1; // upright
  }
  at(channel: ChannelId): number {
    return this.numbers[channel] ?? NaN;
  }
  values(channel: ChannelId): Numbers {
    return Float32Array.of(this.at(channel));
  }
  /** Colours are shares of a joint's limit: Robot takes a hundredth of this for its floor, which is then the limit. */
  peak(channel: ChannelId): number {
    return channel >= this.layout.scene ? 100 : 0;
  }
  take(moment: Moment): void {
    const { layout, numbers } = this;
    for (let i = 0; i < layout.scene; ++i) {
      const value = moment.floats[i] as number;
      // A pose that is not known stays as it was; a force that is not known is not drawn.
      if (i >= layout.forces || Number.isFinite(value)) numbers[i] = value;
    }
    for (let endpoint = 0; endpoint < layout.endpoints; ++endpoint) {
      const apart = Math.hypot(...[0, 1, 2].map((axis) => moment.force(endpoint, axis) - moment.consumer(endpoint, axis)));
      if (apart < SAME_FORCE) numbers.fill(NaN, layout.forces + FORCES * endpoint + 12, layout.forces + FORCES * (endpoint + 1));
    }
    for (let motor = 0; motor < layout.motors; ++motor) {
      const sds = moment.residual(motor) / moment.residualSd(motor);
      const beyond = (Math.abs(sds) - 1) / (LIMIT_SDS - 1);
      numbers[layout.scene + motor] = beyond > 0 ? Math.sign(sds) * Math.min(1, beyond) : 0;
    }
  }
}

export class LiveRobot {
  readonly view: SceneView;
  private readonly data: LiveSamples;
  private share = 1;
  private stands = false;
  private came = 0;
  private drawn = 0;
  private judgedAt = performance.now();

  /** Throws NoWebGL where the browser has none. */
  constructor(views: Views, layout: Layout, first: Moment | null, private readonly floating: boolean) {
    const scene = views.scenes[0];
    if (!scene) throw new Error('the page has no scene');
    this.data = new LiveSamples(layout);
    if (first) this.data.take(first);
    for (const joint of scene.robots[0]?.joints ?? []) {
      if (joint.position >= 0) joint.tints = [{ channel: layout.scene + joint.position, when: [] }];
    }
    this.view = new SceneView(this.data, new Choice([], () => undefined), scene, true);
    this.view.refresh();
  }
  /** One that stands is drawn as sharply as the screen is. */
  show(moment: Moment, stands = false): void {
    if (this.stands !== stands && this.share < 1) this.view.soften(stands ? 1 : this.share);
    this.stands = stands;
    this.data.take(moment);
    this.view.show(0);
    this.view.follow(this.floating);
    this.drawn += 1;
  }
  /** A sample came, drawn or not: where too few are drawn the picture gets coarser. */
  count(): void {
    this.came += 1;
    const now = performance.now();
    if (now - this.judgedAt < JUDGED_EVERY) return;
    if (this.came > 20 && this.drawn < SMOOTH * this.came && this.share > COARSEST && !document.hidden) {
      this.share = Math.max(COARSEST, 0.75 * this.share);
      this.view.soften(this.share);
    }
    [this.came, this.drawn, this.judgedAt] = [0, 0, now];
  }
}
