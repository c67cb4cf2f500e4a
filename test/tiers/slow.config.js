import { simulation, slow } from './projects.js';

// test/support/length.ts reads this: tests with a variable number of histories and inputs run more of them.
process.env.TEST_LENGTH = 'long';

/** Configures `npm run test:slow`: test/slow, and the simulations of `npm test` again with more histories. */
export default {
  // These tests mostly wait: for processes that they start, kill and restart, for deadlines and for sweeps. Seven of the eight files that
  // take longest use 20 to 57 % of a core when they run alone. More than three at a time would make tests wait for their turn.
  maxWorkers: 3,
  projects: [slow, simulation],
};
