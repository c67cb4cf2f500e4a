import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type CleanUp } from '../support/clean-up.js';
import { runAutocannon } from './autocannon.js';
import { type LoadGenerator } from './load-generator.js';
import { runWrk } from './wrk.js';

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
