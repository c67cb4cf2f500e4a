import { type LoadGenerator } from './load/load-generator.js';
import { type Figure } from './report/figure.js';
import { percent } from './report/numbers.js';
import { type Series } from './report/run-report.js';
import { type CleanUp } from './support/clean-up.js';
import { isBusy, type Noise, watchNoise } from './support/noise.js';
import { LookupWorld } from './world/lookup-world.js';

/** A row of the table, or a few that are measured together. */
export interface Scenario {
  readonly name: string;
  readonly what: string;
  run(this: void, bench: Bench): Promise<Measured>;
}

export interface Measured {
  readonly figures: readonly Figure[];
  readonly series?: readonly Series[];
  readonly notes?: readonly string[];
}

export interface BenchOptions {
  readonly quick: boolean;
  /** How often each side is measured; undefined: as often as the scenario thinks right. */
  readonly rounds: number | undefined;
}

/** At most so often; what is disturbed then, too, counts, and the foot says so. */
const MEASURED_AGAIN_MAX = 2;
const FARMERS = { whole: 10_000, quick: 2_000 };

/** What scenarios are given to measure with. */
export class Bench {
  private readonly noise: Noise[] = [];
  private world: LookupWorld | undefined;

  constructor(
    readonly cleanUp: CleanUp,
    readonly load: LoadGenerator,
    private readonly options: BenchOptions,
  ) {}

  get quick(): boolean {
    return this.options.quick;
  }

  /** A size: of a whole run, or of a quick one. */
  size(whole: number, quick: number): number {
    return this.options.quick ? quick : whole;
  }

  rounds(whole: number, quick: number): number {
    return this.options.rounds ?? this.size(whole, quick);
  }

  say(text: string): void {
    process.stderr.write(`  ${text}\n`);
  }

  /** Whatever is timed runs in here, so that it is known how quiet the machine was meanwhile. */
  async measure<T>(work: () => Promise<T>): Promise<T> {
    const { result, noise } = await watched(work);
    if (noise) this.noise.push(noise);
    return result;
  }

  /** As {@link measure}, for work that can be done again: where others took the machine meanwhile it is, whatever came of it, and the last time counts. */
  async measureUndisturbed<T>(work: () => Promise<T>): Promise<T> {
    for (let again = 0; ; again += 1) {
      const { result, noise } = await watched(work);
      if (!noise || !isBusy(noise) || again === MEASURED_AGAIN_MAX) {
        if (noise) this.noise.push({ ...noise, again });
        return result;
      }
      this.say(`others took ${percent(noise.others)} of all cores meanwhile and ${percent(noise.stolen)} was stolen; once more`);
    }
  }

  takeNoise(): Noise[] {
    return this.noise.splice(0);
  }

  /** The service and the peer with the same farmers and partners; several scenarios share one. */
  async lookupWorld(): Promise<LookupWorld> {
    this.world ??= await LookupWorld.create(this.cleanUp, this.size(FARMERS.whole, FARMERS.quick), (text) => {
      this.say(text);
    });
    return this.world;
  }

  /** After a failure: nothing that was started is left. */
  async reset(): Promise<void> {
    this.world = undefined;
    await this.cleanUp.undo();
  }

  /** Whoever comes next finds the machine empty. */
  async closeWorld(): Promise<void> {
    await this.world?.close();
    this.world = undefined;
  }
}

async function watched<T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly noise: Noise | undefined }> {
  const end = watchNoise();
  const result = await work();
  return { result, noise: end() };
}
