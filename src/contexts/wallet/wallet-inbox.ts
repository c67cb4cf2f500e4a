import { type Clock } from '../../kernel/clock.js';
import { type CommandContext } from '../../platform/event-sourcing/batch.js';
import { type EventStore, NO_EVENTS, OutcomeUnknown } from '../../platform/event-sourcing/event-store.js';
import { type Rejection } from '../../platform/event-sourcing/decider.js';
import { EventSetAside } from '../../platform/event-sourcing/unusable-event.js';
import { WalletRejection, type WalletRejectionCode } from './domain/rejections.js';
import { RecentCharges } from './recent-charges.js';
import { dated, type Outcome, type SharedCommand, type SharedContext, type WalletMessage, type WalletReply } from './wallet-message.js';
import { type WalletStream } from './wallet-stream.js';

/** Not every entry since the sender's revision is remembered, so nothing tells whether the charge was made meanwhile. */
class Unchecked extends Error {
  override name = 'Unchecked';
}

/** How often a wallet is read to find out whether a charge was made. Each reading begins where the one before ended. */
const MAX_REVIEWS = 20;

/** The lookups that a reading of a wallet found charged after a revision, up to another one. */
interface Review {
  readonly charged: ReadonlySet<string>;
  readonly to: bigint;
}

/** Executes the commands that other APIs send because this one writes their wallets, and those that this one has sent in vain. */
export class WalletInbox {
  readonly recent = new RecentCharges();
  /** The readings under way, by wallet and revision: the commands of a call that failed share one. */
  private readonly reviews = new Map<string, Promise<Review>>();

  constructor(
    private readonly wallets: WalletStream,
    private readonly eventStore: EventStore,
    private readonly clock: Clock,
  ) {}

  async execute(messages: readonly WalletMessage[]): Promise<readonly WalletReply[]> {
    return await Promise.all(messages.map((message) => this.executeOne(message)));
  }

  /**
   * Executes a command here that another API was sent, and may have executed or still execute.
   * @param known a revision that the wallet had before; null if no other API can have executed the command
   * @throws what WalletStream.execute throws; OutcomeUnknown if the other API has made the charge and it is closed
   */
  async executeInstead(command: SharedCommand, context: CommandContext, known: string | null): Promise<void> {
    const { partner_id } = command;
    if (known === null || command.kind === 'settle') {
      await this.wallets.execute(partner_id, dated(command, this.clock), context);
      return;
    }
    const stream = `wallet-${partner_id}`;
    let since = BigInt(known);
    let isFound = false;
    for (let reviews = 0; ; reviews += 1) {
      const checked = since;
      const isDone = (head: bigint): boolean => isFound || this.isMade(stream, command, checked, head);
      try {
        const { state, events } = await this.wallets.execute(partner_id, dated(command, this.clock), { ...context, isDone });
        if (events.length === 0 && !state.open.has(command.lookup_id))
          throw new OutcomeUnknown('Another API has made the charge, and it was closed.');
        return;
      } catch (error) {
        // The entries after the revision cannot all be read, so nothing tells whether the other API has made the charge.
        if (error instanceof EventSetAside) throw new OutcomeUnknown(error.message, { cause: error });
        if (!(error instanceof Unchecked)) throw error;
        if (reviews === MAX_REVIEWS)
          throw new OutcomeUnknown('The wallet changes too fast to find out whether another API has made the charge.');
        const { charged, to } = await this.review(partner_id, since);
        isFound = charged.has(command.lookup_id);
        since = to;
      }
    }
  }

  private async review(partnerId: string, since: bigint): Promise<Review> {
    const name = `${partnerId} ${since}`;
    const review = this.reviews.get(name) ?? this.read(partnerId, since).finally(() => this.reviews.delete(name));
    this.reviews.set(name, review);
    return await review;
  }

  private async read(partnerId: string, since: bigint): Promise<Review> {
    const stream = `wallet-${partnerId}`;
    // Entries appended from here on are remembered, or leave a gap that the next reading closes.
    if (this.recent.revision(stream) === undefined) this.recent.watch(stream, since);
    const charged = new Set<string>();
    let to = since;
    for await (const events of this.wallets.review(partnerId, since + 1n)) {
      for (const { type, data } of events) if (type === 'WalletDebited') charged.add(data.lookup_id);
      to = events.at(-1)?.revision ?? to;
    }
    return { charged, to };
  }

  /** @throws Unchecked */
  private isMade(stream: string, { lookup_id }: Extract<SharedCommand, { kind: 'charge' }>, known: bigint, head: bigint): boolean {
    const isCharged = this.recent.isCharged(stream, lookup_id, known, head);
    if (isCharged === undefined) throw new Unchecked();
    return isCharged;
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
      if (known === undefined) throw new Unchecked();
      return this.isMade(stream, command, known, head);
    };
    try {
      // A settlement joins the append of the charges in its message.
      const options = { ...context, isDone, ...(command.kind === 'settle' ? { deferMs: 0 } : {}) };
      await this.wallets.execute(command.partner_id, dated(command, this.clock), options);
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
