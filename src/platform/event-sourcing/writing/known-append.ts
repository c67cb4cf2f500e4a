import { type Clock } from '../../../kernel/clock.js';
import { type Outage, type ReplaceableClient } from '../event-store-client/replaceable-client.js';
import { type AppendResult, type PositionUnknown } from '../event-store-client/store-client.js';
import { AccessRejected, AppendRefused, PermanentStoreError, StoreUnavailable } from '../event-store-client/store-errors.js';
import { type ExactEvent, type NewEvent } from '../recorded-event.js';

/** The event store adapter was closed before the outcome of an append was known. */
export class OutcomeUnknown extends Error {
  override name = 'OutcomeUnknown';
}

/** The event store accepts no appends at present, for the reason in the message. Nothing was appended. */
export class AppendsRefused extends StoreUnavailable {
  override name = 'AppendsRefused';
}

/** The append was sent for as long as its dates allow, and may still be stored. */
export interface StillUnknown {
  readonly kind: 'unknown';
}

/** How an append is attempted; without it, the append is sent until its outcome is known. */
export interface Attempt {
  /** Milliseconds for which it is sent again. */
  readonly forMs: number;
  /** Whether other events at the same place may still be stored, after an attempt that ended as {@link StillUnknown}. */
  readonly isAnother: boolean;
}

export interface KnownAppendOptions {
  readonly client: ReplaceableClient;
  readonly clock: Clock;
  readonly outage: Outage;
  /** Called for each repetition. */
  readonly onResent: () => void;
  /** Returns the position of the log's newest event. */
  readonly headPosition: () => Promise<bigint | undefined>;
}

const PAUSE_MS = { first: 50, max: 500 };
/**
 * Milliseconds to wait for the response to a repetition. EventStoreDB sends none while the first attempt is under way, nor later. The stream
 * then shows what became of it.
 */
const REPETITION_MS = 1_500;
/** The call that carries appends may be dead although reads get responses, so every third silent repetition replaces the connection. */
const SILENT_REPETITIONS = 3;

/** An append that goes on until its outcome is known, or for as long as its attempt may last (docs/adr/0003). */
export class KnownAppend {
  /** Set from the first attempt with an unknown outcome on; call it when the outcome is known. */
  private unknown: (() => void) | undefined;
  private sent = 0;

  /** @param expectedRevision undefined for a stream that must not exist */
  constructor(
    private readonly options: KnownAppendOptions,
    private readonly stream: string,
    private readonly events: readonly (NewEvent | ExactEvent)[],
    private readonly expectedRevision: bigint | undefined,
    private readonly attempt?: Attempt,
  ) {}

  /** @throws OutcomeUnknown if the client is closed; else nothing was appended: AppendsRefused, AccessRejected, PermanentStoreError */
  async run(): Promise<AppendResult | StillUnknown> {
    const { client, clock, outage } = this.options;
    const startedAt = clock.elapsedMs();
    if (this.attempt?.isAnother) this.unknown = outage.appendUnknown();
    try {
      for (let pause = PAUSE_MS.first; ; pause = Math.min(pause * 2, PAUSE_MS.max)) {
        this.throwIfClosing();
        if (this.attempt && clock.elapsedMs() - startedAt > this.attempt.forMs) return { kind: 'unknown' };
        try {
          // If the stream cannot be read, the store may still accept the append.
          const known = (this.unknown && (await this.readBack().catch(() => undefined))) ?? (await this.send());
          if (known) return known;
        } catch (error) {
          await this.throwIfFinal(error);
        }
        this.unknown ??= outage.appendUnknown();
        this.options.onResent();
        await clock.delay(pause, client.signal).catch(() => undefined);
      }
    } finally {
      this.unknown?.();
    }
  }

  /** Sends the append. Returns undefined if the outcome cannot be told yet. */
  private async send(): Promise<AppendResult | undefined> {
    const { client } = this.options;
    this.sent += 1;
    const result = await client.call(
      (current) => current.append(this.stream, this.events, this.expectedRevision),
      this.unknown && { ms: REPETITION_MS, isFatal: this.sent % SILENT_REPETITIONS === 0 },
    );
    if (result.kind === 'position_unknown') return await this.withPosition(result);
    // The stream has an event at this place. If it is not visible yet, the node that reads is behind the one that appends.
    return result.kind === 'wrong_revision' && this.unknown ? await this.readBack() : result;
  }

  /**
   * Looks at the place at which the events would be. Other events there prove that this append cannot succeed any more; none there proves
   * nothing, because the append may still be under way.
   */
  private async readBack(): Promise<AppendResult | undefined> {
    const place = (this.expectedRevision ?? -1n) + 1n;
    const stored = await this.options.client.call((client) => client.readStream(this.stream, place, { maxCount: this.events.length }));
    const last = this.events.at(-1);
    const found = last && stored.find(({ id }) => id === last.id);
    if (found) return { kind: 'appended', revision: found.revision, position: found.position };
    return stored.length > 0 ? { kind: 'wrong_revision' } : undefined;
  }

  /** The events are stored. If the stream has been truncated behind them, the log's end stands for their position: it is not before it. */
  private async withPosition({ revision }: PositionUnknown): Promise<AppendResult> {
    const found = await this.readBack();
    return found?.kind === 'appended' ? found : { kind: 'appended', revision, position: (await this.options.headPosition()) ?? 0n };
  }

  /** Throws the error if it proves that nothing was appended. */
  private async throwIfFinal(error: unknown): Promise<void> {
    if (error instanceof PermanentStoreError && (await this.wasNotStored())) throw error;
    // After an unknown outcome only the store can tell whether it has the events, so that append is repeated until it does.
    if (this.unknown) return;
    if (error instanceof AppendRefused) throw new AppendsRefused(error.message, { cause: error });
    if (error instanceof AccessRejected) throw error;
    this.throwIfClosing();
  }

  /** Tells whether an earlier attempt with an unknown outcome stored nothing, either. */
  private async wasNotStored(): Promise<boolean> {
    if (!this.unknown) return true;
    const found = await this.readBack().catch(() => 'unread' as const);
    return found !== 'unread' && found?.kind !== 'appended';
  }

  private throwIfClosing(): void {
    if (this.options.client.signal.aborted)
      throw new OutcomeUnknown(`The event store adapter was closed before the outcome of an append to ${this.stream} was known.`);
  }
}

/** An append without a limit ends with a known outcome. */
export function known(result: AppendResult | StillUnknown): AppendResult {
  if (result.kind === 'unknown') throw new Error('An append ended without an outcome.');
  return result;
}
