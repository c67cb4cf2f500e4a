import { simulation, slow } from './projects.js';

// test/support/length.ts reads this: tests with a variable number of histories and inputs run more of them.
process.env.TEST_LENGTH = 'long';

/** Configures `npm run test:slow`: test/slow, and the simulations of `npm test` again with more histories. */
export default {
  // These tests mostly wait: for processes that they start, kill and restart, for deadlines and for sweeps. Seven of the eight files that
  // take longest use a core for 20 to 57 % of their time, so two at a time take half as long as one. Three at a time take a fifth less than
  // two; but several tests are of what a service does in time, and one that a busy machine fails would cost more than that.
  maxWorkers: 2,
  projects: [slow, simulation],
};
