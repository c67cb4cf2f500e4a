import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { connectionOptions } from './connection-options.js';

/** Node replaces a longer delay by one millisecond. */
const MAX_TIMER_MS = 2 ** 31 - 1;

function delaysOf(options: string): unknown[] {
  const { gossipTimeoutMs, discoveryIntervalMs, channelOptions } = connectionOptions(`esdb://127.0.0.1:2113?tls=false${options}`);
  return [gossipTimeoutMs, discoveryIntervalMs, channelOptions['grpc.keepalive_time_ms'], channelOptions['grpc.keepalive_timeout_ms']];
}

describe('the delays of a connection string', () => {
  it('have the service’s defaults', () => {
    expect(delaysOf('')).toStrictEqual([1_000, 100, 1_000, 2_000]);
  });

  it('turn pings off by a negative number, instead of sending one every millisecond', () => {
    expect(delaysOf('&keepAliveInterval=-1&keepAliveTimeout=-1').slice(2)).toStrictEqual([MAX_TIMER_MS, MAX_TIMER_MS]);
  });

  it('are never longer than Node can wait', () => {
    fc.assert(
      fc.property(fc.nat({ max: Number.MAX_SAFE_INTEGER }), (n) => {
        for (const delay of delaysOf(`&gossipTimeout=${n}&discoveryInterval=${n}&keepAliveInterval=${n}&keepAliveTimeout=${n}`))
          expect(delay).toBeLessThanOrEqual(MAX_TIMER_MS);
      }),
    );
  });
});
