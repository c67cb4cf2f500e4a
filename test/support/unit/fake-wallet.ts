import { type WalletEvent } from '../../../src/contexts/wallet/domain/events.js';
import { walletDecider, type WalletState } from '../../../src/contexts/wallet/domain/wallet.js';
import { type WalletCommand } from '../../../src/contexts/wallet/domain/wallet-command.js';
import { type CommandContext, type CommandResult } from '../../../src/platform/event-sourcing/batch.js';
import { type AtRevision } from '../../../src/platform/event-sourcing/decider.js';
import { type EventStore } from '../../../src/platform/event-sourcing/event-store.js';
import { type StreamObserver } from '../../../src/platform/event-sourcing/stream-observer.js';

/** Events that are read together. */
const PAGE = 100;

/** The wallet of partner p1 in the log, which several APIs write. */
export class FakeWallet {
  readonly entries: AtRevision<WalletEvent>[] = [];
  private state: WalletState = walletDecider.initialState;

  constructor(...history: readonly WalletEvent[]) {
    for (const event of history) this.append(event);
  }

  get head(): bigint {
    return BigInt(this.entries.length) - 1n;
  }

  debitsOf(lookupId: string): number {
    return this.entries.filter(({ type, data }) => type === 'WalletDebited' && data.lookup_id === lookupId).length;
  }

  /** Decides and appends a command. */
  execute(command: WalletCommand, { isDone }: CommandContext = {}): CommandResult<WalletState, WalletEvent> {
    const events = isDone?.(this.head) ? [] : walletDecider.decide(command, this.state);
    for (const event of events) this.append(event);
    return { events, state: this.state, position: undefined };
  }

  private append(event: WalletEvent): void {
    const entry = { ...event, revision: this.head + 1n };
    this.entries.push(entry);
    this.state = walletDecider.evolve(this.state, entry);
  }
}

/** An API's stream writer on the wallet. It tells its observer only what it appends itself or reads, as the real one does. */
export class FakeWallets {
  /** Errors with which the next commands fail before they are decided. */
  readonly failures: Error[] = [];
  private observer: StreamObserver<WalletEvent> | undefined;

  constructor(private readonly wallet: FakeWallet) {}

  get eventStore(): EventStore {
    return { lastEvent: () => Promise.resolve(this.wallet.entries.at(-1)) } as unknown as EventStore;
  }

  observe(observer: StreamObserver<WalletEvent>): void {
    this.observer = observer;
  }

  loseRace(): void {
    this.observer?.lostRace('wallet-p1');
  }

  // eslint-disable-next-line @typescript-eslint/require-await -- what it throws rejects the promise
  async execute(_partnerId: string, command: WalletCommand, context?: CommandContext): Promise<CommandResult<WalletState, WalletEvent>> {
    const failure = this.failures.shift();
    if (failure) throw failure;
    const before = this.wallet.entries.length;
    const result = this.wallet.execute(command, context);
    this.observer?.advanced('wallet-p1', this.wallet.entries.slice(before));
    return result;
  }

  async *review(_partnerId: string, from: bigint): AsyncGenerator<readonly AtRevision<WalletEvent>[]> {
    for (let first = Number(from); first < this.wallet.entries.length; first += PAGE) {
      const page = this.wallet.entries.slice(first, first + PAGE);
      this.observer?.advanced('wallet-p1', page);
      yield await Promise.resolve(page);
    }
  }

  forget(): void {
    // Nothing is cached.
  }

  drain(): Promise<void> {
    return Promise.resolve();
  }
}
