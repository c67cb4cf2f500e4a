import { describe, expect, it } from '@jest/globals';
import { StreamContended } from '../event-sourcing/stream-writer.js';
import { SystemClock } from '../infrastructure/clock.js';
import { SettleCharge, SettleChargeHandler } from './close-charge.command.js';
import { type WalletStream } from './wallet-stream.js';

function handlerOn(outcomes: (Error | undefined)[]) {
  const executed: unknown[] = [];
  const execute = (_id: string, command: unknown, context: unknown): Promise<void> => {
    executed.push([command, context]);
    const outcome = outcomes.shift();
    return outcome ? Promise.reject(outcome) : Promise.resolve();
  };
  return { handler: new SettleChargeHandler({ execute } as unknown as WalletStream, new SystemClock()), executed };
}

describe('settling a charge', () => {
  it('waits for company, and is tried until it is committed', async () => {
    const { handler, executed } = handlerOn([new StreamContended(), new StreamContended(), undefined]);
    await handler.execute(new SettleCharge('p1', 'l1'));
    expect(executed).toHaveLength(3);
    expect(executed[0]).toMatchObject([{ kind: 'settle', partner_id: 'p1', lookup_ids: ['l1'] }, { deferMs: 2_000 }]);
  });

  it('ends with what cannot be tried again', async () => {
    const { handler } = handlerOn([new Error('closed')]);
    await expect(handler.execute(new SettleCharge('p1', 'l1'))).rejects.toThrow('closed');
  });
});
