import { type LoadGenerator } from './load/load-generator.js';
import { type Figure } from './report/figure.js';
import { percent } from './report/numbers.js';
import { type Series } from './report/run-report.js';
import { type CleanUp } from './support/clean-up.js';
import { isBusy, type Noise, watchNoise } from './support/noise.js';
import { LookupEnvironment } from './environment/lookup-environment.js';

/** A measurement that yields one row of the table or several related rows. */
export interface Scenario {
  readonly name: string;
  readonly description: string;
  /** Whether it can measure the service on an event store that is not embedded. */
  readonly takesEventStore?: true;
  run(this: void, bench: Bench): Promise<Measured>;
}

export interface Measured {
  readonly figures: readonly Figure[];
  readonly series?: readonly Series[];
  readonly notes?: readonly string[];
}

export interface BenchOptions {
  readonly quick: boolean;
  /** How often each side is measured; undefined for the default of each scenario. */
  readonly rounds: number | undefined;
  /** Connection string of the service's event store; undefined for the embedded one. */
  readonly eventStoreUrl: string | undefined;
}

/** How often a disturbed measurement is repeated. The last one counts even if it was disturbed; the notes below the table then say so. */
const REPETITIONS_MAX = 2;
const FARMERS = { whole: 10_000, quick: 2_000 };

/** The tools that scenarios measure with. */
export class Bench {
  private readonly noise: Noise[] = [];
  private environment: LookupEnvironment | undefined;

  constructor(
    readonly cleanUp: CleanUp,
    readonly load: LoadGenerator,
    private readonly options: BenchOptions,
  ) {}

  get quick(): boolean {
    return this.options.quick;
  }

  /** Returns the size for this run: `whole` for a whole run, `quick` for a quick one. */
  size(whole: number, quick: number): number {
    return this.options.quick ? quick : whole;
  }

  rounds(whole: number, quick: number): number {
    return this.options.rounds ?? this.size(whole, quick);
  }

  say(text: string): void {
    process.stderr.write(`  ${text}\n`);
  }

  /** Runs timed work and records how much of the machine other programs used meanwhile. */
  async measure<T>(work: () => Promise<T>): Promise<T> {
    const { result, noise } = await watched(work);
    if (noise) this.noise.push(noise);
    return result;
  }

  /** Runs timed work like {@link measure}. It is repeated if other programs disturbed it, regardless of the result; the last result counts. */
  async measureUndisturbed<T>(work: () => Promise<T>): Promise<T> {
    for (let repetitions = 0; ; repetitions += 1) {
      const { result, noise } = await watched(work);
      if (!noise || !isBusy(noise) || repetitions === REPETITIONS_MAX) {
        if (noise) this.noise.push({ ...noise, repetitions });
        return result;
      }
      this.say(
        `disturbed: other programs took ${percent(noise.others)} of all cores, and ${percent(noise.stolen)} was steal time; repeating the measurement`,
      );
    }
  }

  takeNoise(): Noise[] {
    return this.noise.splice(0);
  }

  /** Returns the service and the peer with equally many farmers and partners. Several scenarios share them. */
  async lookupEnvironment(): Promise<LookupEnvironment> {
    const { eventStoreUrl } = this.options;
    const given = { farmers: this.size(FARMERS.whole, FARMERS.quick), ...(eventStoreUrl === undefined ? {} : { eventStoreUrl }) };
    this.environment ??= await LookupEnvironment.create(this.cleanUp, given, (text) => {
      this.say(text);
    });
    return this.environment;
  }

  /** Stops everything that a failed scenario has started. */
  async reset(): Promise<void> {
    this.environment = undefined;
    await this.cleanUp.undo();
  }

  /** Stops the shared service and peer, so that they do not disturb the next scenario. */
  async closeEnvironment(): Promise<void> {
    await this.environment?.close();
    this.environment = undefined;
  }
}

async function watched<T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly noise: Noise | undefined }> {
  const end = watchNoise();
  const result = await work();
  return { result, noise: end() };
}
