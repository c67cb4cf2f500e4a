import { Gauge, type Registry } from 'prom-client';
import { ACCESS_REASONS, type AccessReason } from '../../platform/event-sourcing/event-store.js';

export interface Waiting {
  readonly count: number;
  /** 0 if none is waiting. */
  readonly oldestSeconds: number;
}

export interface ProjectionLag {
  readonly projection: string;
  readonly events: number;
  readonly seconds: number;
  readonly faulted: boolean;
}

/** Gauges of the state of the stores. Every process exports the same values, so queries take the maximum over processes, not the sum. */
export class StoreStateMetrics {
  private readonly up: Gauge<'store'>;
  private readonly rejected: Gauge<'reason'>;
  private readonly chargesOpen: Gauge;
  private readonly chargesOldest: Gauge;
  private readonly lagEvents: Gauge<'projection'>;
  private readonly lagSeconds: Gauge<'projection'>;
  private readonly faulted: Gauge<'projection'>;
  private readonly fanOutEvents: Gauge;
  private readonly fanOutSeconds: Gauge;
  private readonly deliveries: Gauge;
  private readonly deliveriesOldest: Gauge;
  private readonly deliveriesOverdue: Gauge<'endpoints'>;
  private readonly erasures: Gauge;
  private readonly clockSkew: Gauge;
  private readonly checkpointOverdue: Gauge;
  private readonly maintenance: Gauge;

  constructor(registry: Registry) {
    const registers = [registry];
    const gauge = (name: string, help: string): Gauge => withoutValue(new Gauge({ name, help, registers }));
    const labelled = <Label extends string>(name: string, help: string, label: Label): Gauge<Label> =>
      new Gauge({ name, help, labelNames: [label], registers });
    this.up = labelled(
      'rupa_store_up',
      '1 if the store answered within two seconds and, for the event store, accepts appends; else 0. Metrics that could not be read are absent',
      'store',
    );
    this.rejected = labelled(
      'rupa_event_store_rejected',
      '1 if the event store rejects this process, or is not trusted by it, for this reason; else 0: `user`, `right`, `certificate`, `file` or `log`',
      'reason',
    );
    this.chargesOpen = gauge('rupa_charges_open', 'Charges neither settled nor refunded, as the read model shows them');
    this.chargesOldest = gauge('rupa_charges_open_oldest_age_seconds', 'Age of the oldest open charge; 0 if none is open');
    this.lagEvents = labelled(
      'rupa_projection_lag_events',
      'Events that a projection does not show yet, counted up to 10000',
      'projection',
    );
    this.lagSeconds = labelled(
      'rupa_projection_lag_seconds',
      'Age of the oldest event that a projection does not show yet; 0 if it is caught up',
      'projection',
    );
    this.faulted = labelled(
      'rupa_projection_faulted',
      '1 if the projection is faulted: it stopped at an event that it cannot apply',
      'projection',
    );
    this.fanOutEvents = gauge(
      'rupa_webhook_fan_out_lag_events',
      'Events that the webhook subscriber has not processed yet, counted up to 10000',
    );
    this.fanOutSeconds = gauge(
      'rupa_webhook_fan_out_lag_seconds',
      'Age of the oldest event that the webhook subscriber has not processed yet; 0 if it is caught up',
    );
    this.deliveries = gauge('rupa_webhook_deliveries_waiting', 'Deliveries that wait for their first attempt or for a retry');
    this.deliveriesOldest = gauge(
      'rupa_webhook_oldest_delivery_age_seconds',
      'Age of the oldest delivery that waits for an attempt; 0 if none waits',
    );
    this.deliveriesOverdue = labelled(
      'rupa_webhook_delivery_overdue_seconds',
      'Time since the most overdue delivery became due; 0 if none is due; `failing`: the endpoint has not succeeded since its latest failure',
      'endpoints',
    );
    this.clockSkew = gauge(
      'rupa_clock_skew_seconds',
      'Seconds by which the clock of this process is ahead of the database’s; negative if it is behind. Beyond ±10 it appends nothing',
    );
    this.checkpointOverdue = gauge('rupa_checkpoint_overdue_seconds', 'Time since a checkpoint of the log has been due; 0 if none is');
    this.maintenance = gauge('rupa_maintenance', '1 while calls that change something are refused because of maintenance; else 0');
    this.erasures = gauge('rupa_erasures_waiting', 'Erased farmers whose remaining copies of data are not removed yet');
  }

  /** @param inForce undefined if it could not be read */
  inMaintenance(inForce: boolean | undefined): void {
    if (inForce === undefined) this.maintenance.remove();
    else this.maintenance.set(inForce ? 1 : 0);
  }

  checkpoint(overdueSeconds: number | undefined): void {
    if (overdueSeconds === undefined) this.checkpointOverdue.remove();
    else this.checkpointOverdue.set(overdueSeconds);
  }

  charges({ count, oldestSeconds }: Waiting): void {
    this.chargesOpen.set(count);
    this.chargesOldest.set(oldestSeconds);
  }

  waitingDeliveries({ count, oldestSeconds }: Waiting, overdueSeconds: { readonly responding: number; readonly failing: number }): void {
    this.deliveries.set(count);
    this.deliveriesOldest.set(oldestSeconds);
    for (const [endpoints, seconds] of Object.entries(overdueSeconds)) this.deliveriesOverdue.set({ endpoints }, seconds);
  }

  waitingErasures(count: number): void {
    this.erasures.set(count);
  }

  clockAhead(seconds: number): void {
    this.clockSkew.set(seconds);
  }

  lags(lags: readonly ProjectionLag[], fanOut: ProjectionLag | undefined): void {
    for (const { projection, events, seconds, faulted } of lags) {
      this.lagEvents.set({ projection }, events);
      this.lagSeconds.set({ projection }, seconds);
      this.faulted.set({ projection }, faulted ? 1 : 0);
    }
    if (!fanOut) return;
    this.fanOutEvents.set(fanOut.events);
    this.fanOutSeconds.set(fanOut.seconds);
  }

  storeUp(store: 'database' | 'event_store', up: boolean): void {
    this.up.set({ store }, up ? 1 : 0);
  }

  /** @param reason undefined if the event store rejects no call */
  eventStoreRejected(reason: AccessReason | undefined): void {
    for (const each of ACCESS_REASONS) this.rejected.set({ reason: each }, each === reason ? 1 : 0);
  }

  /** Removes the values that could not be read, because an old value would pass for a current one. */
  forgetCounts(): void {
    for (const gauge of [this.chargesOpen, this.chargesOldest, this.deliveries, this.deliveriesOldest, this.erasures, this.clockSkew])
      gauge.remove();
    this.deliveriesOverdue.reset();
  }

  forgetLags(): void {
    for (const gauge of [this.lagEvents, this.lagSeconds, this.faulted]) gauge.reset();
    for (const gauge of [this.fanOutEvents, this.fanOutSeconds]) gauge.remove();
  }
}

/** A new gauge would show 0 until its first reading. */
function withoutValue(gauge: Gauge): Gauge {
  gauge.remove();
  return gauge;
}
