import { describe, expect, it } from '@jest/globals';
import { StoreClosed, StoreUnavailable } from '../../../platform/event-sourcing/event-store.js';
import { StreamContended } from '../../../platform/event-sourcing/writing/batch.js';
import { SystemClock } from '../../../platform/system-clock.js';
import { type Charge, Charges } from './charges.js';
import { type EarlierKeys } from './earlier-keys.js';
import { type InstancePresence } from '../../../platform/database/instances/instance-presence.js';
import { type Streams } from '../../../platform/event-sourcing/writing/stream-writer.js';

/** A clock whose delays return at once and advance its time by ten times the delay. */
class FastForwardClock extends SystemClock {
  private passed = 0;

  override elapsedMs(): number {
    return this.passed;
  }

  override delay(ms: number): Promise<void> {
    this.passed += 10 * ms;
    return Promise.resolve();
  }
}

function chargesOn(outcomes: (Error | undefined)[], clock: SystemClock = new SystemClock()) {
  const executed: unknown[] = [];
  const execute = (partnerId: string, command: unknown, context: unknown): Promise<unknown> => {
    executed.push([partnerId, command, context]);
    const outcome = outcomes.shift();
    return outcome ? Promise.reject(outcome) : Promise.resolve({ events: [], state: { balance_kobo: 0, open: new Map([['l1', {}]]) } });
  };
  return {
    charges: new Charges(
      { of: () => ({ execute, load: () => Promise.resolve({ state: { open: new Map([['l1', {}]]) } }) }) } as unknown as Streams,
      clock,
      {} as InstancePresence,
      { of: () => undefined } as unknown as EarlierKeys,
    ),
    executed,
  };
}

describe('settling a charge', () => {
  it('is deferred by two seconds and retried until it is committed', async () => {
    const { charges, executed } = chargesOn([new StreamContended(), new StreamContended(), undefined]);
    await charges.close('p1', ['l1'], 'sent');
    expect(executed).toHaveLength(3);
    expect(charges.responseOf('l1')).toBe('abandoned');
    expect(executed[0]).toMatchObject(['p1', { kind: 'settle', partner_id: 'p1', lookup_ids: ['l1'] }, { deferMs: 2_000 }]);
  });

  it('is retried while the event store is unavailable, until the charge is old enough for the sweep', async () => {
    const unavailable = new StoreUnavailable('unavailable');
    const clock = new FastForwardClock();
    const { charges, executed } = chargesOn([unavailable, unavailable, undefined], clock);
    await charges.close('p1', ['l1'], 'sent');
    expect(executed).toHaveLength(3);
    const failing = chargesOn(
      Array.from({ length: 100 }, () => unavailable),
      clock,
    );
    await expect(failing.charges.close('p1', ['l1'], 'sent')).rejects.toBe(unavailable);
    expect(failing.charges.responseOf('l1')).toBe('sent');
  });

  it('is not retried once this process has closed its connection to the event store', async () => {
    const closed = new StoreClosed('closed');
    const { charges, executed } = chargesOn([new StoreUnavailable('unavailable'), closed, undefined], new FastForwardClock());
    await expect(charges.close('p1', ['l1'], 'sent')).rejects.toBe(closed);
    expect(executed).toHaveLength(2);
  });

  it('that fails leaves the response known as sent, so that no sweep refunds the charge', async () => {
    const { charges } = chargesOn([new Error('closed')]);
    await expect(charges.close('p1', ['l1'], 'sent')).rejects.toThrow('closed');
    expect(charges.responseOf('l1')).toBe('sent');
  });
});

describe('refunding a charge', () => {
  it('that fails leaves the charge to the sweep', async () => {
    const { charges, executed } = chargesOn([undefined, new StoreUnavailable('unavailable')]);
    await charges.make({ partner_id: 'p1', lookups: [{ lookup_id: 'l1' }] } as unknown as Charge, 'live');
    expect(charges.responseOf('l1')).toBe('pending');
    await expect(charges.close('p1', ['l1'], 'failed')).rejects.toThrow('unavailable');
    expect(charges.responseOf('l1')).toBe('abandoned');
    expect(executed[1]).toMatchObject(['p1', { kind: 'refund', lookup_ids: ['l1'], reason: 'the response failed' }, {}]);
  });
});

describe('a charge that the row of an Idempotency-Key calls abandoned', () => {
  it('is left to be settled by the process that stored or sent its response', async () => {
    for (const note of [
      (charges: Charges) => {
        charges.noteStored(['l1']);
        return Promise.resolve();
      },
      async (charges: Charges) => {
        await expect(charges.close('p1', ['l1'], 'sent')).rejects.toThrow('closed');
      },
    ]) {
      const { charges, executed } = chargesOn([undefined, new Error('closed')]);
      await charges.make({ partner_id: 'p1', lookups: [{ lookup_id: 'l1' }] } as unknown as Charge, 'live');
      await note(charges);
      await charges.refundAbandoned('p1', ['l1']);
      expect(executed).not.toContainEqual(expect.arrayContaining([expect.objectContaining({ kind: 'refund' })]));
    }
  });

  it('is refunded once a living process would have settled it, if it is open', async () => {
    const clock = new FastForwardClock();
    const { charges, executed } = chargesOn([], clock);
    await charges.refundAbandoned('p1', ['closed']);
    expect([executed, clock.elapsedMs()]).toStrictEqual([[], 0]);
    await charges.refundAbandoned('p1', ['l1']);
    expect(executed).toMatchObject([['p1', { kind: 'refund', lookup_ids: ['l1'] }, {}]]);
    expect(clock.elapsedMs()).toBeGreaterThan(2_000);
  });
});
