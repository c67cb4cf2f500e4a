import { openChargeProjection, type OpenChargeRow } from '../../projections/open-charge/open-charge.projection.js';
import { walletEntryProjection, type WalletEntryRow } from '../../projections/wallet-entry/wallet-entry.projection.js';
import { type RecordedEvent, type StoredEvent } from '../../src/platform/event-sourcing/recorded-event.js';
import { type WalletEvent } from '../../src/contexts/wallet/domain/events.js';
import { type SimulatedProcess } from './process.js';
import { type Random } from '../support/random.js';
import { type Scheduler } from './scheduler.js';

interface Waiter {
  readonly isDue: () => boolean;
  readonly done: () => void;
}

/** The read models that decisions about charges use. They follow the log in order, with a random lag. */
export class FakeReadModels {
  readonly openCharges = new Map<string, OpenChargeRow>();
  /** The rows of `wallet_entry`, oldest first. */
  readonly entries: WalletEntryRow[] = [];
  /** Partner and farmer of each consent, separated by a space. */
  readonly consents = new Set<string>();
  /** Every event that the read models but `wallet_entry` show, oldest first. */
  readonly applied: StoredEvent[] = [];
  /** Maximum lag of the projector, in ms. */
  lagMs = 40;
  /** Position of `wallet_entry`, which can be faulted while the other read models continue. */
  entriesPosition = -1n;
  private entriesFaulted = false;
  private readonly entriesToApply: RecordedEvent<WalletEvent>[] = [];
  private position = -1n;
  private due = 0;
  private readonly waiters = new Set<Waiter>();

  constructor(
    private readonly scheduler: Scheduler,
    private readonly random: Random,
  ) {}

  follow(events: readonly StoredEvent[]): void {
    this.due = Math.max(this.due, this.scheduler.now + this.random.between(1, this.lagMs));
    this.scheduler.after(this.due - this.scheduler.now, () => {
      for (const event of events) this.apply(event as unknown as RecordedEvent<WalletEvent>);
      this.wake();
    });
  }

  /** Makes `wallet_entry` faulted, or lets it continue from where it stopped. */
  setEntriesFaulted(faulted: boolean): void {
    this.entriesFaulted = faulted;
    this.applyEntries();
    this.wake();
  }

  /** Waits until the read models have reached a position, like src/platform/projecting/in-memory/read-model-listener.ts. */
  async waitFor(process: SimulatedProcess, position: bigint, timeoutMs = 2_000, models?: readonly string[]): Promise<boolean> {
    const isDue = (): boolean => this.hasReached(position, models);
    if (isDue()) return true;
    return await new Promise<boolean>((resolve) => {
      const waiter = {
        isDue,
        done: (): void => {
          this.waiters.delete(waiter);
          process.deliver('message', () => {
            resolve(isDue());
          });
        },
      };
      this.waiters.add(waiter);
      this.scheduler.after(timeoutMs, waiter.done);
    });
  }

  hasReached(position: bigint, models: readonly string[] = []): boolean {
    return this.position >= position && models.every((model) => this.shownBy(model) >= position);
  }

  shownBy(model: string): bigint {
    return model === 'wallet_entry' ? this.entriesPosition : this.position;
  }

  private wake(): void {
    for (const waiter of this.waiters) if (waiter.isDue()) waiter.done();
  }

  private apply(event: RecordedEvent<WalletEvent>): void {
    this.position = event.position;
    this.applied.push(event as unknown as StoredEvent);
    const handler = openChargeProjection.handler(event.type);
    for (const key of handler?.keys(event) ?? []) {
      const id = String(key.lookup_id);
      const before = this.openCharges.get(id) ?? null;
      const row = handler?.apply(before, event, key, [before]) as OpenChargeRow | null;
      if (row) this.openCharges.set(id, row);
      else this.openCharges.delete(id);
    }
    this.entriesToApply.push(event);
    this.applyEntries();
    if (event.type === 'ConsentGranted') this.consents.add(`${event.data.partner_id} ${event.data.rupa_id}`);
  }

  private applyEntries(): void {
    if (this.entriesFaulted) return;
    for (const event of this.entriesToApply.splice(0)) {
      this.entriesPosition = event.position;
      const row = walletEntryProjection.handler(event.type)?.apply(null, event, {}, [null]) as WalletEntryRow | undefined;
      if (row) this.entries.push(row);
    }
  }
}
