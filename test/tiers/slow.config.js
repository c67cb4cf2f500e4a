import { simulation, slow } from './projects.js';

// test/support/length.ts reads this: tests with a variable number of histories and inputs run more of them.
process.env.TEST_LENGTH = 'long';

/** Configures `npm run test:slow`: test/slow, and the simulations of `npm test` again with more histories. */
export default {
  // These tests mostly wait for processes that they start, kill and restart, so two at a time take half as long as one. They are not meant
  // for more: several test what a service does in time.
  maxWorkers: 2,
  projects: [slow, simulation],
};
