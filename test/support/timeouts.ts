import { jest } from '@jest/globals';

/** How many times as long the tests may take: `npm run test:flaky` sets it, because it leaves the tests little of the processors. */
const patience = Number(process.env.TEST_PATIENCE ?? 1);

// The slow tier starts many processes on few cores, and its tests wait for conditions. The limit only ends a test that waits for ever.
jest.setTimeout((process.env.TEST_LENGTH === 'long' ? 240_000 : 60_000) * patience);
