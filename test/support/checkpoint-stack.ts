import { type QueryBus } from '@nestjs/cqrs';
import { randomUUID } from 'node:crypto';
import { type CheckpointParts, checkpointParts } from '../../src/contexts/evidence/checkpoints/checkpoint-parts.js';
import {
  type CheckpointVerification,
  VerifyCheckpoint,
  VerifyCheckpointHandler,
  type VerifyCheckpointOptions,
} from '../../src/contexts/evidence/checkpoints/verify-checkpoint.query.js';
import { type VerifyWallet } from '../../src/contexts/wallet/public.js';
import { VerifyWalletHandler } from '../../src/contexts/wallet/verifying/verify-wallet.query.js';
import { type Clock } from '../../src/kernel/clock.js';
import { type EventStore } from '../../src/platform/event-sourcing/event-store.js';
import { Secrets } from '../../src/platform/key-store/secrets.js';
import { SystemClock } from '../../src/platform/system-clock.js';
import { type Witness } from '../../src/contexts/evidence/witnesses/witness.js';
import { type Stack } from './stack.js';
import { PARTNER_STREAMS } from '../../src/contexts/partners/domain/partner.js';
import { StreamWriter } from '../../src/platform/event-sourcing/writing/stream-writer.js';
import { WALLET_STREAMS } from '../../src/contexts/wallet/domain/wallet.js';
import { ALL_SEARCHED } from './unit/searched-entries.js';

export interface CheckpointStack extends CheckpointParts {
  readonly secrets: Secrets;
  /** Makes the same parts without what these have read of the log, as in another process. */
  fresh(eventStore?: EventStore): CheckpointParts;
  /** Verifies a checkpoint against the log of the stack, or against another. */
  verify(options?: VerifyCheckpointOptions, eventStore?: EventStore): Promise<CheckpointVerification>;
  /** Registers a partner whose wallet is credited once with each of the amounts, and returns its id. */
  wallet(...amounts_kobo: readonly number[]): Promise<string>;
}

/** The checkpoints on real stores. */
export function startCheckpoints(
  stack: Stack,
  clock: Clock = new SystemClock(),
  origin = 'rupa.example/log',
  witnesses: readonly Witness[] = [],
): CheckpointStack {
  const { pool, codec } = stack;
  const secrets = new Secrets(pool, stack.masterKeys);
  const partsOn = (eventStore: EventStore): CheckpointParts =>
    checkpointParts({ pool, eventStore, codec, secrets }, clock, { origin, everySeconds: 3_600, witnesses });
  const parts = partsOn(stack.eventStore);
  return {
    ...parts,
    secrets,
    fresh: (eventStore = stack.eventStore) => partsOn(eventStore),
    verify: async (options, eventStore = stack.eventStore) => {
      const { log, keys } = partsOn(eventStore);
      const wallets = new VerifyWalletHandler(eventStore, codec, pool);
      const queries = { execute: (query: VerifyWallet) => wallets.execute(query) } as unknown as QueryBus;
      return await new VerifyCheckpointHandler(log, keys, eventStore, queries).execute(new VerifyCheckpoint(options));
    },
    wallet: async (...amounts_kobo) => {
      const partner_id = randomUUID();
      const by = { partner_id, at: clock.iso(), actor: 'test' };
      const profile = { company_name: 'Test', account_type: 'bank', mode: 'live' } as const;
      await new StreamWriter(stack.eventStore, codec, PARTNER_STREAMS).execute(partner_id, { kind: 'register', ...by, ...profile });
      const wallets = new StreamWriter(stack.eventStore, codec, WALLET_STREAMS);
      for (const [index, amount_kobo] of amounts_kobo.entries())
        await wallets.execute(partner_id, {
          kind: 'credit',
          ...by,
          amount_kobo,
          reference: `credit ${index}`,
          ...ALL_SEARCHED,
        });
      return partner_id;
    },
  };
}
