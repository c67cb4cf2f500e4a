import { describe, expect, it } from '@jest/globals';
import { formatTraceparent, parseTraceparent } from './spans.js';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const spanId = '00f067aa0ba902b7';

describe('a traceparent', () => {
  it('is parsed, and formatted as it was', () => {
    expect(parseTraceparent(`00-${traceId}-${spanId}-01`)).toStrictEqual({ traceId, spanId, traceFlags: 1, isRemote: true });
    for (const flags of ['00', '01'])
      expect(formatTraceparent(parseTraceparent(`00-${traceId}-${spanId}-${flags}`) ?? { traceId: '', spanId: '', traceFlags: 0 })).toBe(
        `00-${traceId}-${spanId}-${flags}`,
      );
  });

  it.each([
    undefined,
    7,
    '',
    `01-${traceId}-${spanId}-01`,
    `00-${'0'.repeat(32)}-${spanId}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `00-${traceId.toUpperCase()}-${spanId}-01`,
    `00-${traceId}-${spanId}-01-x`,
  ])('is not recognised in %j', (text) => {
    expect(parseTraceparent(text)).toBeUndefined();
  });
});
