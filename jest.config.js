import { availableParallelism } from 'node:os';
import { endToEnd, integration, simulation, unit } from './test/tiers/projects.js';

/** Configuration of `npm test`. The other tiers have a file each in test/tiers. */
export default {
  // Many tests wait for servers and for time limits, so three workers for two cores finish sooner than two.
  maxWorkers: Math.ceil(availableParallelism() * 1.5),
  // Node keeps the modules of every file that a worker has run (jestjs/jest#14605): 2 GB a worker at the end, without this limit of its heap.
  workerIdleMemoryLimit: '400MB',
  projects: [unit, simulation, integration, endToEnd],
};
