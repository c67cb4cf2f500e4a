import { jest } from '@jest/globals';

// Tests start many processes on few cores, and wait for conditions. The limit only ends a test that waits for ever. `npm run test:flaky`
// lengthens it, because it leaves the tests little of the processors.
export const LIMIT_MS = 900_000 * Number(process.env.TEST_PATIENCE ?? 1);

jest.setTimeout(LIMIT_MS);
