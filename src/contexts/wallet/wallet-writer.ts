import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { hash, randomUUID } from 'node:crypto';
import { Clock } from '../../kernel/clock.js';
import { InstancePresence } from '../../platform/database/instance-presence.js';
import { type CommandContext } from '../../platform/event-sourcing/batch.js';
import { EventStore } from '../../platform/event-sourcing/event-store.js';
import { CommandAbandoned, StreamContended } from '../../platform/event-sourcing/queued-commands.js';
import { PeerCalls } from '../../platform/peers/peer-calls.js';
import { currentRequest } from '../../platform/tracing/request-context.js';
import { currentTraceparent } from '../../platform/tracing/spans.js';
import { WalletInbox } from './wallet-inbox.js';
import { dated, type SharedCommand, type WalletMessage } from './wallet-message.js';
import { WalletOutbox } from './wallet-outbox.js';
import { WalletStream } from './wallet-stream.js';

/** How long one API writes a wallet for all after another one was faster to append, in milliseconds. */
export const SHARED_FOR_MS = 30_000;
const MAX_SHARED_WALLETS = 10_000;

/**
 * Executes the charges and settlements of a wallet in one API at a time (docs/adr/0022). An API writes a wallet itself until another one is
 * faster to append. From then on, both send their commands to the API that the wallet's name selects among those that live. The
 * expected revision of each append stays the only arbiter, so APIs that disagree lose time and nothing else.
 */
@Injectable()
export class WalletWriter {
  private readonly inbox: WalletInbox;
  private readonly sharedUntil = new LRUCache<string, number>({ max: MAX_SHARED_WALLETS });
  private readonly outboxes = new Map<number, WalletOutbox>();
  /** The commands under way to other APIs or executed here in their stead. */
  private readonly working = new Set<Promise<void>>();
  private stopping = false;

  constructor(
    private readonly wallets: WalletStream,
    private readonly presence: InstancePresence,
    private readonly peers: PeerCalls,
    private readonly clock: Clock,
    eventStore: EventStore,
  ) {
    const inbox = new WalletInbox(wallets, eventStore, clock);
    this.inbox = inbox;
    wallets.observe({
      lostRace: (stream) => this.sharedUntil.set(stream, clock.elapsedMs() + SHARED_FOR_MS),
      advanced: (stream, events) => {
        inbox.recent.advanced(stream, events);
      },
    });
    peers.receive('wallet_commands', (messages) => inbox.execute(messages as readonly WalletMessage[]));
  }

  /** Executes a command like {@link WalletStream.execute}, here or in the API that writes the wallet, which dates it. */
  async execute(command: SharedCommand, context: CommandContext = {}): Promise<void> {
    const { partner_id } = command;
    let writer = this.writerOf(partner_id);
    if (writer === undefined) {
      try {
        const yields = (): boolean => this.writerOf(partner_id) !== undefined;
        await this.wallets.execute(partner_id, dated(command, this.clock), { ...context, yields });
        return;
      } catch (error) {
        // This API has lost its first race for the wallet, or its first one for some time.
        writer = error instanceof StreamContended ? this.writerOf(partner_id) : undefined;
        if (writer === undefined) throw error;
      }
    }
    if (context.signal?.aborted) throw new CommandAbandoned('The caller aborted the command before it was sent.');
    const work = this.executeIn(writer, command, context);
    this.working.add(work);
    try {
      await work;
    } finally {
      this.working.delete(work);
    }
  }

  /** Refuses the commands of others, and finishes all that were accepted. */
  async drain(): Promise<void> {
    this.stopping = true;
    await this.peers.leave();
    while (this.working.size > 0) {
      for (const outbox of this.outboxes.values()) outbox.flushAll();
      await Promise.race(this.working).catch(() => undefined);
    }
    await this.wallets.drain();
    await this.peers.stop();
  }

  /** Returns the number of the API that writes a wallet; undefined if this one does. */
  private writerOf(partnerId: string): number | undefined {
    const until = this.sharedUntil.get(`wallet-${partnerId}`);
    if (until === undefined || this.stopping || this.clock.elapsedMs() > until) return undefined;
    const own = this.presence.instance;
    const weight = (instance: number): string => hash('sha256', `${partnerId} ${instance}`);
    // Rendezvous hashing: if an API comes or goes, only its own wallets move.
    let [chosen, heaviest] = [own, weight(own)];
    for (const other of this.peers.others()) {
      const weighed = weight(other);
      if (weighed > heaviest) [chosen, heaviest] = [other, weighed];
    }
    return chosen === own ? undefined : chosen;
  }

  private async executeIn(instance: number, command: SharedCommand, context: CommandContext): Promise<void> {
    const correlationId = context.correlationId ?? currentRequest()?.correlationId ?? randomUUID();
    const { causationId = correlationId, mode, instance: owner, signal } = context;
    const traceparent = currentTraceparent();
    const shared = {
      correlationId,
      causationId,
      ...(mode ? { mode } : {}),
      ...(owner === undefined ? {} : { instance: owner }),
      ...(traceparent === undefined ? {} : { traceparent }),
    };
    await new Promise<void>((resolve, reject) => {
      const executeHere = (since: string | null): void => {
        this.inbox.executeInstead(command, { ...shared, ...(signal ? { signal } : {}) }, since).then(resolve, reject);
      };
      this.outbox(instance).add({ command, context: shared, resolve, reject, executeHere }, context.deferMs);
    });
    // Others write the wallet now, so the state in memory is old.
    this.wallets.forget(`wallet-${command.partner_id}`);
  }

  private outbox(instance: number): WalletOutbox {
    let outbox = this.outboxes.get(instance);
    if (!outbox) {
      for (const [other, { isEmpty }] of this.outboxes) if (isEmpty && !this.peers.others().includes(other)) this.outboxes.delete(other);
      outbox = new WalletOutbox(instance, this.peers, this.clock);
      this.outboxes.set(instance, outbox);
    }
    return outbox;
  }
}
