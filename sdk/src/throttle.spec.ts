import { describe, expect, it } from '@jest/globals';
import { json, scriptedFetch } from '../../test/support/unit/scripted-fetch.js';
import { RupaClient, type RupaClientOptions } from './index.js';
import { Throttle } from './throttle.js';

/** A throttle whose clock goes on only while it sleeps. */
function throttleOf() {
  const waits: number[] = [];
  let time = 0;
  const sleep = (milliseconds: number, signal?: AbortSignal): Promise<void> => {
    if (signal?.aborted) return Promise.reject(signal.reason as Error);
    waits.push(milliseconds);
    time += milliseconds;
    return Promise.resolve();
  };
  const advance = (milliseconds: number): void => {
    time += milliseconds;
  };
  return { throttle: new Throttle(sleep, () => time), waits, advance };
}

const limited = (remaining: number, limit = 2, resetMs = 1_000) => ({ limit, remaining, resetMs });

describe('a throttle', () => {
  it('lets calls begin as long as no response states a limit', async () => {
    const { throttle, waits } = throttleOf();
    for (let call = 0; call < 50; call += 1) {
      await throttle.begin(30_000);
      throttle.ended(call % 2 === 0 ? null : undefined);
    }
    expect(waits).toStrictEqual([]);
  });

  it('waits until the reset when no call is left', async () => {
    const { throttle, waits } = throttleOf();
    await throttle.begin(30_000);
    throttle.ended(limited(0));
    await throttle.begin(30_000);
    expect(waits).toStrictEqual([1_000]);
  });

  it('counts the calls that have begun since the last response', async () => {
    const { throttle, waits } = throttleOf();
    await throttle.begin(30_000);
    throttle.ended(limited(1));
    await throttle.begin(30_000);
    expect(waits).toStrictEqual([]);
    await throttle.begin(30_000);
    expect(waits).toStrictEqual([1_000]);
  });

  it('takes calls in flight for calls that the service has not counted', async () => {
    const { throttle, waits } = throttleOf();
    await Promise.all([throttle.begin(30_000), throttle.begin(30_000), throttle.begin(30_000)]);
    throttle.ended(limited(1));
    await throttle.begin(30_000);
    expect(waits).toStrictEqual([1_000]);
  });

  it('lets only as many of those who wait begin in a window as the limit allows', async () => {
    const { throttle, waits } = throttleOf();
    await throttle.begin(30_000);
    throttle.ended(limited(0));
    for (let call = 0; call < 5; call += 1) await throttle.begin(30_000);
    expect(waits).toStrictEqual([1_000, 1_000, 1_000]);
  });

  it('begins a new window when the old one is over', async () => {
    const { throttle, waits, advance } = throttleOf();
    await throttle.begin(30_000);
    throttle.ended(limited(0));
    advance(1_000);
    await throttle.begin(30_000);
    await throttle.begin(30_000);
    expect(waits).toStrictEqual([]);
  });

  it('waits no longer than the time limit of the call', async () => {
    const { throttle, waits } = throttleOf();
    await throttle.begin(30_000);
    throttle.ended(limited(0, 2, 60_000));
    await throttle.begin(500);
    expect(waits).toStrictEqual([500]);
  });

  it('ends a wait with the reason of the signal', async () => {
    const { throttle } = throttleOf();
    await throttle.begin(30_000);
    throttle.ended(limited(0));
    await expect(throttle.begin(30_000, AbortSignal.abort(new Error('shutting down')))).rejects.toThrow('shutting down');
  });
});

describe('a client', () => {
  const used = (status = 200) =>
    json(status, { data: {} }, { 'RateLimit-Limit': '10', 'RateLimit-Remaining': '0', 'RateLimit-Reset': '1' });

  function clientOf(options: Partial<RupaClientOptions>) {
    const { fetch, sent } = scriptedFetch(used(), used());
    const sentBeforeWaits: number[] = [];
    const sleep = (): Promise<void> => {
      sentBeforeWaits.push(sent.length);
      return Promise.resolve();
    };
    return { client: new RupaClient({ apiKey: 'k', baseUrl: 'https://api.example', fetch, sleep, ...options }), sent, sentBeforeWaits };
  }

  it('waits before the call that would exceed the rate limit', async () => {
    const { client, sent, sentBeforeWaits } = clientOf({});
    await client.me();
    await client.me();
    expect(sentBeforeWaits).toStrictEqual([1]);
    expect(sent).toHaveLength(2);
  });

  it('does not wait if throttling is switched off', async () => {
    const { client, sent, sentBeforeWaits } = clientOf({ throttle: false });
    await client.me();
    await client.me();
    expect(sentBeforeWaits).toStrictEqual([]);
    expect(sent).toHaveLength(2);
  });

  it('sends nothing after the signal', async () => {
    const controller = new AbortController();
    const { client, sent } = clientOf({
      sleep: (_milliseconds, signal) => {
        controller.abort(new Error('shutting down'));
        return Promise.reject(signal?.reason as Error);
      },
    });
    await client.me();
    await expect(client.me({ signal: controller.signal })).rejects.toThrow('shutting down');
    expect(sent).toHaveLength(1);
  });
});
