import { atLength, simulation, slow } from './projects.js';

// Read by test/support/length.ts: the tests that choose their own number of histories and inputs choose more.
process.env.TEST_LENGTH = 'long';

/** `npm run test:slow`: test/slow, and once more at length what `npm test` does with few histories and inputs. */
export default {
  // One at a time: side by side they take half as long, but several of them kill and restart services while a lagging one misses its moment.
  maxWorkers: 1,
  projects: [slow, atLength, simulation],
};
