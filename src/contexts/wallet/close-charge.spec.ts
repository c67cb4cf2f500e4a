import { describe, expect, it } from '@jest/globals';
import { StoreClosed, StoreUnavailable } from '../../platform/event-sourcing/event-store.js';
import { StreamContended } from '../../platform/event-sourcing/queued-commands.js';
import { SystemClock } from '../../platform/system-clock.js';
import { ChargesInHand } from './charges-in-hand.js';
import { SettleCharge, SettleChargeHandler } from './close-charge.command.js';
import { type WalletStream } from './wallet-stream.js';

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

function handlerOn(outcomes: (Error | undefined)[], clock: SystemClock = new SystemClock()) {
  const executed: unknown[] = [];
  const execute = (partnerId: string, command: unknown, context: unknown): Promise<void> => {
    executed.push([partnerId, command, context]);
    const outcome = outcomes.shift();
    return outcome ? Promise.reject(outcome) : Promise.resolve();
  };
  const inHand = new ChargesInHand();
  return { handler: new SettleChargeHandler({ execute } as unknown as WalletStream, clock, inHand), executed, inHand };
}

describe('settling a charge', () => {
  it('is deferred by two seconds and retried until it is committed', async () => {
    const { handler, executed, inHand } = handlerOn([new StreamContended(), new StreamContended(), undefined]);
    await handler.execute(new SettleCharge('p1', 'l1'));
    expect(executed).toHaveLength(3);
    expect(inHand.state('l1')).toBe('released');
    expect(executed[0]).toMatchObject(['p1', { kind: 'settle', partner_id: 'p1', lookup_ids: ['l1'] }, { deferMs: 2_000 }]);
  });

  it('is retried while the event store is unavailable, until the charge is old enough for the sweep', async () => {
    const unavailable = new StoreUnavailable('unavailable');
    const clock = new FastForwardClock();
    const { handler, executed } = handlerOn([unavailable, unavailable, undefined], clock);
    await handler.execute(new SettleCharge('p1', 'l1'));
    expect(executed).toHaveLength(3);
    const failing = handlerOn(
      Array.from({ length: 100 }, () => unavailable),
      clock,
    );
    await expect(failing.handler.execute(new SettleCharge('p1', 'l1'))).rejects.toBe(unavailable);
    expect(failing.inHand.state('l1')).toBe('responded');
  });

  it('is not retried once this process has closed its connection to the event store', async () => {
    const closed = new StoreClosed('closed');
    const { handler, executed } = handlerOn([new StoreUnavailable('unavailable'), closed, undefined], new FastForwardClock());
    await expect(handler.execute(new SettleCharge('p1', 'l1'))).rejects.toBe(closed);
    expect(executed).toHaveLength(2);
  });

  it('that fails leaves the charge in hand as responded, so that no sweep refunds it', async () => {
    const { handler, inHand } = handlerOn([new Error('closed')]);
    await expect(handler.execute(new SettleCharge('p1', 'l1'))).rejects.toThrow('closed');
    expect(inHand.state('l1')).toBe('responded');
  });
});
