import { Injectable } from '@nestjs/common';
import { type CommandResult } from '../../../platform/event-sourcing/writing/batch.js';
import { Streams } from '../../../platform/event-sourcing/writing/stream-writer.js';
import { ReadModels } from '../../../platform/projecting/read-models.js';
import { FourEyes, type RecordedCall } from '../../approvals/public.js';
import { walletStreamOf, type WalletEvent } from '../domain/events.js';
import { type WalletCommand } from '../domain/wallet-command.js';
import { WALLET_STREAMS, type WalletState } from '../domain/wallet.js';
import { WalletHistory } from '../verifying/wallet-history.js';

type Decided = CommandResult<WalletState, WalletEvent>;

/** Decides a command of a wallet, and appends its events or not. */
export type Decide = (command: WalletCommand) => Promise<Decided>;

/** The two ways to decide an administrator's command: to execute it, or to find out what it would do. */
@Injectable()
export class WalletDecisions {
  constructor(
    private readonly streams: Streams,
    private readonly history: WalletHistory,
    private readonly readModels: ReadModels,
    private readonly fourEyes: FourEyes,
  ) {}

  readonly append: Decide = async (command) => {
    const committed = await this.streams.of(WALLET_STREAMS).execute(command.partner_id, command);
    await this.readModels.waitFor(committed);
    return committed;
  };

  readonly foresee: Decide = async (command) => {
    const { state } = await this.streams.of(WALLET_STREAMS).load(command.partner_id);
    return { events: WALLET_STREAMS.decider.decide(command, state), state, position: undefined };
  };

  /** Returns whether the entry of the call was approved by that approval. The reference of a compensation is its lookup. */
  async isApproved({ partner_id, reference }: RecordedCall, type: WalletEvent['type'], approvalId: string): Promise<boolean> {
    if (partner_id === null || reference === null) return false;
    const search = type === 'LookupCompensated' ? { lookupId: reference } : { references: [reference] };
    return await this.history.search(partner_id, search, async (entries) => {
      const entry = entries.find((each) => each.type === type);
      return await this.fourEyes.isApprovedBy(walletStreamOf(partner_id), entry && BigInt(entry.revision), approvalId);
    });
  }
}
