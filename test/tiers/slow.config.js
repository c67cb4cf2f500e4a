import { simulation, slow } from './projects.js';

// test/support/length.ts reads this: tests with a variable number of histories and inputs run more of them.
process.env.TEST_LENGTH = 'long';

/** Configures `npm run test:slow`: test/slow, and the simulations of `npm test` again with more histories. */
export default {
  // Some of these tests mostly wait, and others use both cores. Four at a time took little less time than two, and a busy machine is what
  // fails a test that is not right on one.
  maxWorkers: 2,
  // As in jest.config.js. There are fewer files here, and some simulations use more.
  workerIdleMemoryLimit: '800MB',
  projects: [slow, simulation],
};
