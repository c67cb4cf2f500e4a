import { type Noise } from '../support/noise.js';
import { type Figure } from './figure.js';

/** All of one run: what is written as JSON, and what tables and plots are made from. */
export interface RunReport {
  readonly at: string;
  readonly quick: boolean;
  readonly commit: string;
  readonly machine: Machine;
  readonly loadGenerator: string;
  /** As the run found it. */
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
  /** Curves and other things that figures are made from, for plots. */
  readonly series: readonly Series[];
  readonly notes: readonly string[];
  /** Of each measurement. */
  readonly noise: readonly Noise[];
  readonly seconds: number;
  /** Why it came to no end. */
  readonly failure?: string;
}

export interface Series {
  readonly title: string;
  readonly x: string;
  readonly y: string;
  readonly lines: readonly { readonly name: string; readonly points: readonly (readonly [x: number, y: number])[] }[];
}
