import { atLength, simulation, slow } from './projects.js';

// Read by test/support/length.ts: the tests that choose their own number of histories and inputs choose more.
process.env.TEST_LENGTH = 'long';

/** `npm run test:slow`: test/slow, and once more at length what `npm test` does with few histories and inputs. */
export default {
  maxWorkers: '100%',
  projects: [slow, atLength, simulation],
};
