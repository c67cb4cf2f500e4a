import { jest } from '@jest/globals';

// The slow tier starts many processes on few cores, and its tests wait for conditions. The limit only ends a test that waits for ever.
jest.setTimeout(process.env.TEST_LENGTH === 'long' ? 240_000 : 60_000);
