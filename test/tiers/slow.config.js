import { atLength, simulation, slow } from './projects.js';

// test/support/length.ts reads this: tests with a variable number of histories and inputs run more of them.
process.env.TEST_LENGTH = 'long';

/** Configures `npm run test:slow`: test/slow, and the tests of `npm test` with few histories and inputs again with many. */
export default {
  // Tests run one at a time. In parallel they take half as long, but several kill and restart services, and a lagging service misses its
  // moment.
  maxWorkers: 1,
  projects: [slow, atLength, simulation],
};
