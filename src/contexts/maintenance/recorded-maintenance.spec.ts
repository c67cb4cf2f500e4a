import { describe, expect, it } from '@jest/globals';
import { ManualClock } from '../../../test/support/unit/manual-clock.js';
import { HistoryMissing, StoreUnavailable } from '../../platform/event-sourcing/event-store.js';
import { type Streams } from '../../platform/event-sourcing/writing/stream-writer.js';
import { type ReadModelListener } from '../../platform/projecting/in-memory/read-model-listener.js';
import { type Maintenance } from './domain/maintenance.js';
import { RecordedMaintenance } from './recorded-maintenance.js';

const MINUTE_MS = 60_000;

function setUp(load: () => Promise<Maintenance | null>) {
  const clock = new ManualClock();
  let reads = 0;
  const streams = {
    of: () => ({
      load: async () => {
        reads += 1;
        return { state: await load() };
      },
    }),
  };
  const changed: (() => void)[] = [];
  const listener = { live: true, onDirectoryChanged: (each: () => void) => changed.push(each) };
  const recorded = new RecordedMaintenance(streams as unknown as Streams, clock, listener as unknown as ReadModelListener);
  const announce = (): void => {
    for (const each of changed) each();
  };
  return { clock, recorded, announce, reads: () => reads };
}

const maintenance = (clock: ManualClock, forMs: number): Maintenance => ({
  reason: 'a restore',
  since: clock.iso(),
  until: new Date(clock.now().getTime() + forMs).toISOString(),
  actor: 'cli',
});

describe('the recorded maintenance', () => {
  it('is read again once a change is announced, and after ten seconds without one', async () => {
    let state: Maintenance | null = null;
    const { clock, recorded, announce, reads } = setUp(() => Promise.resolve(state));
    expect([await recorded.inForce(), await recorded.inForce(), reads()]).toStrictEqual([null, null, 1]);
    state = maintenance(clock, MINUTE_MS);
    expect(await recorded.inForce()).toBeNull();
    announce();
    expect(await recorded.inForce()).toMatchObject({ reason: 'a restore' });
    state = null;
    await clock.advance(10_000);
    expect([await recorded.inForce(), reads()]).toStrictEqual([null, 3]);
  });

  it('ends at its time, also in the cache', async () => {
    const { clock, recorded } = setUp(() => Promise.resolve(state));
    const state = maintenance(clock, 5_000);
    expect(await recorded.inForce()).not.toBeNull();
    await clock.advance(5_000);
    expect(await recorded.inForce()).toBeNull();
  });

  it('is not in force while its history is missing, and unknown while the store does not respond', async () => {
    const hidden = setUp(() => Promise.reject(new HistoryMissing('maintenance-main', 2n, 3n)));
    expect(await hidden.recorded.inForce()).toBeNull();
    await expect(hidden.recorded.current()).rejects.toThrow(HistoryMissing);
    const away = setUp(() => Promise.reject(new StoreUnavailable('away')));
    await expect(away.recorded.inForce()).rejects.toThrow('away');
  });
});
