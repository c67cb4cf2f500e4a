import { availableParallelism } from 'node:os';
import { simulation, slow } from './projects.js';

// test/support/length.ts reads this: tests with a variable number of histories and inputs run more of them.
process.env.TEST_LENGTH = 'long';

/** Configures `npm run test:slow`: test/slow, and the simulations of `npm test` again with more histories. */
export default {
  // These tests mostly wait: for processes that they start, kill and restart, for deadlines and for sweeps. A core is busy for about half of
  // the time that a test takes, so twice as many at a time as there are cores keep these busy. No test is right only on an idle machine.
  maxWorkers: availableParallelism() * 2,
  projects: [slow, simulation],
};
