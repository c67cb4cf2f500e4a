import { LRUCache } from 'lru-cache';
import { type Clock } from '../../kernel/clock.js';
import { type PeerCalls } from '../../platform/peers/peer-calls.js';
import { WalletRejection } from './domain/rejections.js';
import { type Outcome, type SharedCommand, type SharedContext, type WalletMessage, type WalletReply } from './wallet-message.js';

export interface OutgoingCommand {
  readonly command: SharedCommand;
  readonly context: SharedContext;
  /** Whether the command has been sent and was not executed, because the receiver could not check it. */
  again?: boolean;
  /** A revision that the wallet had before another API can have executed the command; undefined if none can have. */
  since?: string | undefined;
  resolve(this: void): void;
  reject(this: void, error: unknown): void;
  /** Executes the command here, which is safe also if the other API has executed it or still will. @param since see above */
  executeHere(this: void, since: string | null): void;
}

/** Commands that are added within so many milliseconds share a call. */
const GATHERED_MS = 1;
const MAX_COMMANDS = 256;
/** Calls to an API at the same time: while the commands of one are appended, the next ones arrive. */
const MAX_CALLS = 3;
const MAX_WALLETS = 10_000;
/** Deferred commands of a wallet that are sent before their time has passed, so that the writer can commit them together. */
const MAX_DEFERRED = 64;

/** Sends commands to one other API. Commands that are added while its calls are under way share the next call. */
export class WalletOutbox {
  private waiting: OutgoingCommand[] = [];
  private readonly deferred = new Map<string, OutgoingCommand[]>();
  private calls = 0;
  private scheduled = false;
  private readonly known = new LRUCache<string, string>({ max: MAX_WALLETS });

  constructor(
    private readonly instance: number,
    private readonly peers: PeerCalls,
    private readonly clock: Clock,
  ) {}

  get isEmpty(): boolean {
    return this.calls + this.waiting.length + this.deferred.size === 0;
  }

  /** @param deferMs the command may wait for so long for another command of its wallet */
  add(outgoing: OutgoingCommand, deferMs: number | undefined): void {
    if (deferMs === undefined) {
      this.waiting.push(outgoing);
      this.schedule();
      return;
    }
    const partnerId = outgoing.command.partner_id;
    const deferred = this.deferred.get(partnerId);
    if (deferred) {
      if (deferred.push(outgoing) >= MAX_DEFERRED) this.flush(partnerId);
    } else {
      this.deferred.set(partnerId, [outgoing]);
      this.clock.after(deferMs, () => {
        this.flush(partnerId);
      });
    }
  }

  /** Sends all commands that wait. */
  flushAll(): void {
    for (const partnerId of this.deferred.keys()) this.flush(partnerId);
  }

  private flush(partnerId: string): void {
    this.waiting.push(...(this.deferred.get(partnerId) ?? []));
    this.deferred.delete(partnerId);
    this.schedule();
  }

  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    this.clock.after(GATHERED_MS, () => {
      this.scheduled = false;
      while (this.waiting.length > 0 && this.calls < MAX_CALLS) void this.send(this.waiting.splice(0, MAX_COMMANDS));
    });
  }

  private async send(batch: OutgoingCommand[]): Promise<void> {
    this.calls += 1;
    const byPartner = [...Map.groupBy(batch, ({ command }) => command.partner_id)];
    try {
      const messages = byPartner.map(([partnerId, commands]) => this.messageOf(partnerId, commands));
      const replies = (await this.peers.call(this.instance, 'wallet_commands', messages)) as readonly WalletReply[];
      for (const [index, [partnerId, commands]] of byPartner.entries()) this.finish(partnerId, commands, replies[index]);
    } catch {
      for (const [, commands] of byPartner) for (const { executeHere, since = null } of commands) executeHere(since);
    } finally {
      this.calls -= 1;
      if (this.waiting.length > 0) this.schedule();
    }
  }

  private messageOf(partner_id: string, commands: readonly OutgoingCommand[]): WalletMessage {
    const known = this.known.get(partner_id) ?? null;
    // A receiver that is told no revision executes no charge.
    if (known !== null) for (const command of commands) command.since ??= known;
    return {
      partner_id,
      known,
      commands: commands.map(({ command, context }) => ({ command, context })),
    };
  }

  private finish(partnerId: string, commands: readonly OutgoingCommand[], reply: WalletReply | undefined): void {
    if (reply?.revision) this.known.set(partnerId, reply.revision);
    for (const [index, outgoing] of commands.entries()) this.settle(outgoing, reply?.outcomes[index] ?? { kind: 'failed' });
  }

  private settle(outgoing: OutgoingCommand, outcome: Outcome): void {
    switch (outcome.kind) {
      case 'done':
        outgoing.resolve();
        return;
      case 'rejected':
        outgoing.reject(new WalletRejection(outcome.code, outcome.facts));
        return;
      case 'unchecked':
        // The receiver has not executed it, and has just told a revision that it knows all later entries of.
        outgoing.since = undefined;
        if (outgoing.again) outgoing.executeHere(null);
        else this.add(Object.assign(outgoing, { again: true }), undefined);
        return;
      case 'failed':
        outgoing.executeHere(outgoing.since ?? null);
    }
  }
}
