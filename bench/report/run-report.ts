import { type Noise } from '../support/noise.js';
import { type Figure } from './figure.js';

/** The complete result of a run: it is written as JSON, and tables and plots are made from it. */
export interface RunReport {
  readonly at: string;
  readonly quick: boolean;
  readonly commit: string;
  readonly machine: Machine;
  readonly loadGenerator: string;
  /** Address and version of the service's event store, unless it is the embedded one. */
  readonly eventStore?: string;
  /** Load average per core before the run. */
  readonly loadPerCore: number;
  readonly scenarios: readonly ScenarioReport[];
}

export interface Machine {
  readonly cores: number;
  readonly processor: string;
  readonly memoryGiB: number;
  readonly system: string;
  readonly node: string;
}

export interface ScenarioReport {
  readonly name: string;
  readonly figures: readonly Figure[];
  /** Curves for plots. */
  readonly series: readonly Series[];
  readonly notes: readonly string[];
  /** One element per measurement. */
  readonly noise: readonly Noise[];
  readonly seconds: number;
  /** Error message of a scenario that failed. */
  readonly failure?: string;
}

export interface Series {
  readonly title: string;
  readonly x: string;
  readonly y: string;
  readonly lines: readonly { readonly name: string; readonly points: readonly (readonly [x: number, y: number])[] }[];
}
