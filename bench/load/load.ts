import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type CleanUp } from '../support/clean-up.js';
import { runAutocannon } from './autocannon.js';
import { type LoadGenerator } from './load-generator.js';
import { runWrk } from './wrk.js';

/** Chooses wrk if it is on the PATH, because it leaves the most of the machine to the measured side, or else autocannon. */
export function loadGenerator(cleanUp: CleanUp): LoadGenerator {
  if (isOnPath('wrk')) return { name: 'wrk', run: (load) => runWrk(cleanUp, load) };
  return { name: 'autocannon (install wrk for a lighter load generator: apt install wrk)', run: runAutocannon };
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
