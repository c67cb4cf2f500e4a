import { describe, expect, it } from '@jest/globals';
import { StoreUnavailable } from '../../platform/event-sourcing/event-store.js';
import { StreamContended } from '../../platform/event-sourcing/stream-writer.js';
import { SystemClock } from '../../platform/system-clock.js';
import { SettleCharge, SettleChargeHandler } from './close-charge.command.js';
import { type WalletStream } from './wallet-stream.js';

/** For which every wait is over at once, and was ten times as long as asked for. */
class HurryingClock extends SystemClock {
  private passed = 0;

  override now(): Date {
    return new Date(this.passed);
  }

  override delay(ms: number): Promise<void> {
    this.passed += 10 * ms;
    return Promise.resolve();
  }
}

function handlerOn(outcomes: (Error | undefined)[], clock: SystemClock = new SystemClock()) {
  const executed: unknown[] = [];
  const execute = (_id: string, command: unknown, context: unknown): Promise<void> => {
    executed.push([command, context]);
    const outcome = outcomes.shift();
    return outcome ? Promise.reject(outcome) : Promise.resolve();
  };
  return { handler: new SettleChargeHandler({ execute } as unknown as WalletStream, clock), executed };
}

describe('settling a charge', () => {
  it('waits for company, and is tried until it is committed', async () => {
    const { handler, executed } = handlerOn([new StreamContended(), new StreamContended(), undefined]);
    await handler.execute(new SettleCharge('p1', 'l1'));
    expect(executed).toHaveLength(3);
    expect(executed[0]).toMatchObject([{ kind: 'settle', partner_id: 'p1', lookup_ids: ['l1'] }, { deferMs: 2_000 }]);
  });

  it('waits for a store that is away, for as long as the sweep leaves the charge alone', async () => {
    const away = new StoreUnavailable('away');
    const clock = new HurryingClock();
    const { handler, executed } = handlerOn([away, away, undefined], clock);
    await handler.execute(new SettleCharge('p1', 'l1'));
    expect(executed).toHaveLength(3);
    await expect(
      handlerOn(
        Array.from({ length: 100 }, () => away),
        clock,
      ).handler.execute(new SettleCharge('p1', 'l1')),
    ).rejects.toBe(away);
  });

  it('ends with what cannot be tried again', async () => {
    const { handler } = handlerOn([new Error('closed')]);
    await expect(handler.execute(new SettleCharge('p1', 'l1'))).rejects.toThrow('closed');
  });
});
