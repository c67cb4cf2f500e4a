import { jest } from '@jest/globals';

const LIMIT_MS = 900_000;

// Tests start many processes on few cores, and wait for conditions. The limit only ends a test that waits for ever. `npm run test:flaky`
// lengthens it, because it leaves the tests little of the processors.
jest.setTimeout(LIMIT_MS * Number(process.env.TEST_PATIENCE ?? 1));
