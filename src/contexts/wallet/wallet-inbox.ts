import { type EventStore, NO_EVENTS } from '../../platform/event-sourcing/event-store.js';
import { type Rejection } from '../../platform/event-sourcing/decider.js';
import { WalletRejection, type WalletRejectionCode } from './domain/rejections.js';
import { RecentCharges } from './recent-charges.js';
import { type Outcome, type SharedCommand, type SharedContext, type WalletMessage, type WalletReply } from './wallet-message.js';
import { type WalletStream } from './wallet-stream.js';

/** Not every entry since the sender's revision is remembered, so nothing tells whether the sender made this charge itself meanwhile. */
class Unchecked extends Error {
  override name = 'Unchecked';
}

/** Executes the commands that other APIs send because this one writes their wallets. */
export class WalletInbox {
  readonly recent = new RecentCharges();

  constructor(
    private readonly wallets: WalletStream,
    private readonly eventStore: EventStore,
  ) {}

  async execute(messages: readonly WalletMessage[]): Promise<readonly WalletReply[]> {
    return await Promise.all(messages.map((message) => this.executeOne(message)));
  }

  private async executeOne({ partner_id, known, commands }: WalletMessage): Promise<WalletReply> {
    const stream = `wallet-${partner_id}`;
    if (this.recent.revision(stream) === undefined) {
      const last = await this.eventStore.lastEvent(stream).catch(() => undefined);
      this.recent.watch(stream, last?.revision ?? NO_EVENTS);
    }
    const since = known === null ? undefined : BigInt(known);
    const outcomes = await Promise.all(commands.map(({ command, context }) => this.outcomeOf(stream, since, command, context)));
    return { revision: this.recent.revision(stream)?.toString() ?? null, outcomes };
  }

  private async outcomeOf(stream: string, known: bigint | undefined, command: SharedCommand, context: SharedContext): Promise<Outcome> {
    const isDone = (head: bigint): boolean => {
      if (command.kind === 'settle') return false;
      const isCharged = known === undefined ? undefined : this.recent.isCharged(stream, command.lookup_id, known, head);
      if (isCharged === undefined) throw new Unchecked();
      return isCharged;
    };
    try {
      // A settlement joins the append of the charges in its message.
      await this.wallets.execute(command.partner_id, command, { ...context, isDone, ...(command.kind === 'settle' ? { deferMs: 0 } : {}) });
      return { kind: 'done' };
    } catch (error) {
      if (error instanceof Unchecked) return { kind: 'unchecked' };
      if (error instanceof WalletRejection) return rejected(error as Rejection<WalletRejectionCode>);
      return { kind: 'failed' };
    }
  }
}

function rejected({ code, facts }: Rejection<WalletRejectionCode>): Outcome {
  return { kind: 'rejected', code, facts };
}
