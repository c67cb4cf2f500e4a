import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { WALLET_STREAMS } from '../../src/contexts/wallet/domain/wallet.js';
import { VerifyWallet } from '../../src/contexts/wallet/public.js';
import { VerifyWalletHandler } from '../../src/contexts/wallet/verifying/verify-wallet.query.js';
import { type EventStore } from '../../src/platform/event-sourcing/event-store.js';
import { copyLog } from '../../src/platform/event-sourcing/reading/copy-log.js';
import { StreamWriter } from '../../src/platform/event-sourcing/writing/stream-writer.js';
import { recordMove } from '../../src/platform/log-moving/record-move.js';
import { type EventStoreProcess, startEventStoreProcess } from '../support/event-store-process.js';
import { startStack, type Stack } from '../support/stack.js';
import { openPatiently } from '../support/patient-log.js';
import { ALL_SEARCHED } from '../support/unit/searched-entries.js';

const HOUR_MS = 3_600_000;

describe('the verification of the dates of entries', () => {
  let stack: Stack;
  let other: EventStoreProcess;
  let moved: EventStore;

  beforeAll(async () => {
    [stack, other] = [await startStack(), await startEventStoreProcess()];
    moved = openPatiently(other.connectionString);
  });
  afterAll(async () => {
    await moved.close();
    await other.close();
    await stack.close();
  });

  /** Credits a wallet with an entry that is dated this far ahead of the event store's clock, or behind it. */
  const credit = async (partner_id: string, aheadMs: number, log = stack.eventStore): Promise<void> => {
    const at = new Date(Date.now() + aheadMs).toISOString();
    const about = { amount_kobo: 100, reference: randomUUID(), ...ALL_SEARCHED };
    await new StreamWriter(log, stack.codec, WALLET_STREAMS).execute(partner_id, {
      kind: 'credit',
      partner_id,
      at,
      actor: 'test',
      ...about,
    });
  };
  const verified = async (partner_id: string, log = stack.eventStore) =>
    await new VerifyWalletHandler(log, stack.codec, stack.pool).execute(new VerifyWallet(partner_id));

  it('names an entry that is dated into another time than that of the event store', async () => {
    for (const aheadMs of [-HOUR_MS, HOUR_MS]) {
      const wallet = randomUUID();
      if (aheadMs > 0) await credit(wallet, 0);
      await credit(wallet, aheadMs);
      const revision = aheadMs > 0 ? 1 : 0;
      const message = expect.stringMatching(/^It is dated \S+Z, but the event store recorded it at \S+Z\.$/);
      expect(await verified(wallet)).toMatchObject({ ok: false, entries: revision, fault: { revision, rule: 'time', message } });
    }
  });

  it('begins after the newest move of the log to another event store', async () => {
    const wallet = randomUUID();
    await credit(wallet, -HOUR_MS);
    const ignore = (): void => undefined;
    const events = await copyLog(stack.eventStore, moved, undefined, ignore, new AbortController().signal);
    expect(await verified(wallet, moved)).toMatchObject({ ok: false, fault: { revision: 0, rule: 'time' } });
    await recordMove(moved, events, new Date());
    expect(await verified(wallet, moved)).toMatchObject({ ok: true, entries: 1, fault: null });
    await credit(wallet, 0, moved);
    expect(await verified(wallet, moved)).toMatchObject({ ok: true, entries: 2 });
    await credit(wallet, HOUR_MS, moved);
    expect(await verified(wallet, moved)).toMatchObject({ ok: false, entries: 2, fault: { revision: 2, rule: 'time' } });
  });
});
