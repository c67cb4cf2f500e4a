import { type Pool } from 'pg';
import { AccessRejected, AppendsRefused, type EventStore } from '../../platform/event-sourcing/event-store.js';
import { projections } from '../../../projections/index.js';
import { type ClockGuard } from '../../platform/event-sourcing/writing/clock-guard.js';
import { databaseOutage } from '../../platform/database/database-outage.js';
import { isHeld, LOCKS } from '../../platform/database/instances/locks.js';
import { caughtUpPosition, readCheckpoints, readPosition } from '../../platform/projecting/checkpoints.js';
import { type ReadModelListener } from '../../platform/projecting/in-memory/read-model-listener.js';
import { newerReadModel } from '../../platform/projecting/applying/stepped-down.js';
import { missingHistoryReasons } from '../../stores/missing-history.js';
import { type LostEventReasons, forgedRowReasons, setAsideReasons } from './readiness-reasons.js';
import { Lag } from './lag.js';
import { WEBHOOK_SUBSCRIBER } from '../../contexts/webhooks/notifying/notification-writer.js';
import { type Role } from '../../settings/types.js';
import { type Trouble, troublesOf } from '../../kernel/trouble.js';
import { type ServiceState, type StateOfService } from '../../console/service-state.js';

/** A stalled store must not delay the response to a probe. */
const PROBE_TIMEOUT_MS = 5_000;

/** Replacing a silent connection takes less. */
const MAX_SILENCE_MS = 5_000;

type Phase = 'starting' | 'serving' | 'stopping';

/** Decides whether the process can serve its roles (admin, "Settings"). Leader and standby processes are judged alike. */
export class Readiness {
  /** While the phase is `stopping`, the process still responds, so that the load balancer can take it out of rotation. */
  phase: Phase = 'serving';
  private readonly lag = new Lag();

  /** @param listener the source of changes of cached values, in a process that has such caches */
  constructor(
    private readonly pool: Pool,
    private readonly eventStore: EventStore,
    private readonly clockGuard: Pick<ClockGuard, 'fault' | 'eventAhead'>,
    private readonly roles: readonly Role[],
    private readonly maxLagMs: number,
    private readonly listener?: Pick<ReadModelListener, 'silentMs'>,
    private readonly lostEvents: LostEventReasons = () => Promise.resolve([]),
  ) {}

  /** Returns a sentence for each reason why the process cannot do its own work; none means ready. */
  async faults(): Promise<string[]> {
    if (this.phase === 'starting') return ['The service is starting.'];
    if (this.phase === 'stopping') return ['The service is stopping.'];
    const reasons = await Promise.all([this.databaseFaults(), this.eventStoreFaults()]);
    return [...new Set([...reasons.flat(), ...this.clockFaults()])];
  }

  /**
   * Returns each trouble that concerns only some calls, or that others have; with one, a process that is ready is degraded (admin, "Ready
   * means").
   */
  async degradedBy(): Promise<Trouble[]> {
    const found = [
      this.readModelTrouble(),
      this.lagging(),
      setAsideReasons(this.pool).then((reasons) => troublesOf('event_set_aside', reasons)),
      forgedRowReasons(this.pool).then((reasons) => troublesOf('rows_forged', reasons)),
      this.lostEvents().then((reasons) => troublesOf('events_lost', reasons)),
      // If a store does not answer, faults() reports that.
    ].map((troubles) => inTime(troubles).catch(() => []));
    return [
      ...troublesOf('caches_deaf', this.silence()),
      ...troublesOf('history_missing', missingHistoryReasons(this.eventStore)),
      ...troublesOf('event_ahead', this.datesAhead()),
      ...(await Promise.all(found)).flat(),
    ];
  }

  private clockFaults(): string[] {
    const fault = this.clockGuard.fault();
    return fault === undefined ? [] : [fault];
  }

  private datesAhead(): string[] {
    const ahead = this.clockGuard.eventAhead();
    if (!ahead) return [];
    return [
      `The event at position ${ahead.position} (category ${ahead.category}) is dated ${ahead.recordedAt}, ahead of the database’s clock.`,
    ];
  }

  private get readsModels(): boolean {
    return this.roles.includes('api') || this.roles.includes('projector');
  }

  private async databaseFaults(): Promise<string[]> {
    try {
      return (await inTime(this.isReadOnly())) ? ['The database is read-only.'] : [];
    } catch (error) {
      return [databaseOutage(error) ?? 'The database does not answer.'];
    }
  }

  /** Returns whether the database takes no writes: it is a standby, or set to read-only for example because its disk is almost full. */
  private async isReadOnly(): Promise<boolean> {
    const { rows } = await this.pool.query<{ transaction_read_only: string }>('show transaction_read_only');
    return rows[0]?.transaction_read_only === 'on';
  }

  /** Faulted read models, and read models that nobody keeps up to date: a newer version that projects holds the lock. */
  private async readModelTrouble(): Promise<Trouble[]> {
    if (!this.readsModels) return [];
    const known = await readCheckpoints(this.pool);
    const faulted = [...known.values()].filter(({ fault }) => fault !== null).map(({ projection }) => projection);
    const newer = this.roles.includes('projector') ? newerReadModel(known, projections) : undefined;
    const isLed = newer === undefined || (await isHeld(this.pool, LOCKS.projector));
    const names = faulted.sort().map((projection) => `The projection ${projection} is faulted.`);
    return [
      ...troublesOf('read_model_faulted', names),
      ...troublesOf('read_models_not_kept', isLed ? [] : [`No process keeps the read models up to date. ${newer}.`]),
    ];
  }

  private silence(): string[] {
    if ((this.listener?.silentMs ?? 0) <= MAX_SILENCE_MS) return [];
    return ['This process hears no changes of partners, API keys and prices from the database, so it reads them for every request.'];
  }

  private async lagging(): Promise<Trouble[]> {
    const isBehind = this.lag.measure(await this.eventStore.headPosition(), await this.position()) > this.maxLagMs;
    if (!isBehind) return [];
    return troublesOf('behind', [this.readsModels ? 'The read models are behind the log.' : 'The webhooks are behind the log.']);
  }

  private async eventStoreFaults(): Promise<string[]> {
    try {
      // A store that refuses appends says why. A read of a damaged log would only fail.
      await inTime(this.eventStore.checkAppends());
      await inTime(this.eventStore.headPosition());
      return [];
    } catch (error) {
      const isReason = error instanceof AppendsRefused || error instanceof AccessRejected;
      return [isReason ? error.message : 'The event store does not answer.'];
    }
  }

  /**
   * Returns the position to compare with the log. Lagging webhooks do not affect the calls of a process that reads the read models, so they
   * count only in a process with no other role.
   */
  private async position(): Promise<bigint> {
    return await (this.readsModels ? caughtUpPosition(this.pool) : readPosition(this.pool, WEBHOOK_SUBSCRIBER));
  }
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    reject(new Error('No answer in time.'));
  }, PROBE_TIMEOUT_MS);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Pages that are open at the same time share one probe of the stores. */
const KEPT_MS = 4_000;

/** Shares the readiness among the pages of the console: however many are open, the stores are probed every few seconds at most. */
export class SharedReadiness implements ServiceState {
  private probe: { readonly atMs: number; readonly state: Promise<StateOfService> } | undefined;

  constructor(private readonly readiness: Pick<Readiness, 'faults' | 'degradedBy'>) {}

  async read(): Promise<StateOfService> {
    const now = performance.now();
    if (!this.probe || now - this.probe.atMs > KEPT_MS) this.probe = { atMs: now, state: this.ask() };
    return await this.probe.state;
  }

  private async ask(): Promise<StateOfService> {
    const [faults, degradedBy] = await Promise.all([this.readiness.faults(), this.readiness.degradedBy()]);
    return { faults, degradedBy };
  }
}
