import { describe, expect, it } from '@jest/globals';
import { IdleClock } from '../../../test/support/unit/idle-clock.js';
import { EventStore } from './event-store.js';
import { type StoreClient } from './event-store-client/store-client.js';
import { AccessRejected, AppendRefused, PermanentStoreError, StoreUnavailable } from './event-store-client/store-errors.js';

describe('the check that appends are accepted', () => {
  const probed = (outcomes: readonly Error[]) => {
    let probes = 0;
    const probeAppends = async (): Promise<void> => {
      const outcome = outcomes[probes];
      probes += 1;
      await (outcome && Promise.reject(outcome));
    };
    const connect = () => ({ probeAppends, dispose: () => Promise.resolve() }) as unknown as StoreClient;
    return { store: new EventStore('', { connect, clock: new IdleClock() }), probes: () => probes };
  };
  const broken = new Error('read ECONNRESET');

  it('is made again on the next connection when one breaks, as when a leader ends', async () => {
    const { store, probes } = probed([broken]);
    await store.checkAppends();
    expect(probes()).toBe(2);
  });

  it('fails when that connection breaks, too', async () => {
    await expect(probed([broken, broken]).store.checkAppends()).rejects.toThrow(StoreUnavailable);
  });

  it.each([new PermanentStoreError('no'), new AccessRejected('no', 'user'), new AppendRefused('no')])(
    'is not made again after the answer %s',
    async (answer) => {
      const { store, probes } = probed([answer]);
      await expect(store.checkAppends()).rejects.toThrow('no');
      expect(probes()).toBe(1);
    },
  );
});
