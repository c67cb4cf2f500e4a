import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type CleanUp } from '../support/clean-up.js';
import { runAutocannon } from './autocannon.js';
import { runWrk } from './wrk.js';

/** What one load asks whom, over and over: any of the keys, any of the farmers. */
export interface Load {
  readonly kind: 'lookup' | 'report';
  readonly url: string;
  /** A key a line. */
  readonly keysFile: string;
  /** A Rupa ID a line. */
  readonly idsFile: string;
  readonly connections: number;
  readonly seconds: number;
}

export interface LoadResult {
  readonly requests: number;
  readonly seconds: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly bytesAnAnswer: number;
}

export interface LoadGenerator {
  readonly name: string;
  /** @throws Error where any answer was not 200, or none came */
  run(load: Load): Promise<LoadResult>;
}

/** wrk where it is on the PATH: it takes the least of the machine from those that are measured. Both sides of a run have the same. */
export function loadGenerator(cleanUp: CleanUp): LoadGenerator {
  if (isOnPath('wrk')) return { name: 'wrk', run: (load) => runWrk(cleanUp, load) };
  return { name: 'autocannon (wrk is lighter; to have it used: apt install wrk)', run: runAutocannon };
}

function isOnPath(program: string): boolean {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
