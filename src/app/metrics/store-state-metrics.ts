import { Gauge, type Registry } from 'prom-client';

export interface Waiting {
  readonly count: number;
  /** 0 where there is none. */
  readonly oldestSeconds: number;
}

export interface ProjectionLag {
  readonly projection: string;
  readonly events: number;
  readonly seconds: number;
  readonly faulted: boolean;
}

/** What the stores say, and say to every process alike: take the maximum over processes, not the sum. */
export class StoreStateMetrics {
  private readonly up: Gauge<'store'>;
  private readonly chargesOpen: Gauge;
  private readonly chargesOldest: Gauge;
  private readonly lagEvents: Gauge<'projection'>;
  private readonly lagSeconds: Gauge<'projection'>;
  private readonly faulted: Gauge<'projection'>;
  private readonly fanOutEvents: Gauge;
  private readonly fanOutSeconds: Gauge;
  private readonly deliveries: Gauge;
  private readonly deliveriesOldest: Gauge;
  private readonly deliveriesOverdue: Gauge;
  private readonly erasures: Gauge;

  constructor(registry: Registry) {
    const registers = [registry];
    const gauge = (name: string, help: string): Gauge => {
      const made = new Gauge({ name, help, registers });
      made.remove();
      return made;
    };
    this.up = new Gauge({
      name: 'rupa_store_up',
      help: '1 if the store answered in time, else 0; what it was asked for is missing then',
      labelNames: ['store'],
      registers,
    });
    this.chargesOpen = gauge('rupa_charges_open', 'Charges neither settled nor refunded, as the read model shows them');
    this.chargesOldest = gauge('rupa_charges_open_oldest_age_seconds', 'Age of the oldest open charge; 0: none is open');
    this.lagEvents = new Gauge({
      name: 'rupa_projection_lag_events',
      help: 'Events that a projection does not show yet, counted up to 10000',
      labelNames: ['projection'],
      registers,
    });
    this.lagSeconds = new Gauge({
      name: 'rupa_projection_lag_seconds',
      help: 'Since when the oldest event lies in the log that a projection does not show; 0: it is level',
      labelNames: ['projection'],
      registers,
    });
    this.faulted = new Gauge({
      name: 'rupa_projection_faulted',
      help: '1 if the projection stands still at an event that it cannot take',
      labelNames: ['projection'],
      registers,
    });
    this.fanOutEvents = gauge('rupa_webhook_fan_out_lag_events', 'Events that were not turned into deliveries yet, counted up to 10000');
    this.fanOutSeconds = gauge(
      'rupa_webhook_fan_out_lag_seconds',
      'Since when the oldest event lies in the log that was not turned into deliveries; 0: none',
    );
    this.deliveries = gauge('rupa_webhook_deliveries_waiting', 'Deliveries that are yet to be attempted, for the first time or again');
    this.deliveriesOldest = gauge(
      'rupa_webhook_oldest_delivery_age_seconds',
      'Age of the oldest delivery that is yet to be attempted; 0: none',
    );
    this.deliveriesOverdue = gauge(
      'rupa_webhook_delivery_overdue_seconds',
      'Since when the delivery that is due the longest could have been attempted; 0: none is due',
    );
    this.erasures = gauge('rupa_erasures_waiting', 'Erased farmers whose traces are yet to be removed');
  }

  charges({ count, oldestSeconds }: Waiting): void {
    this.chargesOpen.set(count);
    this.chargesOldest.set(oldestSeconds);
  }

  waitingDeliveries({ count, oldestSeconds }: Waiting, overdueSeconds: number): void {
    this.deliveries.set(count);
    this.deliveriesOldest.set(oldestSeconds);
    this.deliveriesOverdue.set(overdueSeconds);
  }

  waitingErasures(count: number): void {
    this.erasures.set(count);
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

  answers(store: 'database' | 'event_store', answers: boolean): void {
    this.up.set({ store }, answers ? 1 : 0);
  }

  /** What a store does not tell is missing: a value of before would pass for today's. */
  forgetCounts(): void {
    for (const gauge of [
      this.chargesOpen,
      this.chargesOldest,
      this.deliveries,
      this.deliveriesOldest,
      this.deliveriesOverdue,
      this.erasures,
    ])
      gauge.remove();
  }

  forgetLags(): void {
    for (const gauge of [this.lagEvents, this.lagSeconds, this.faulted]) gauge.reset();
    for (const gauge of [this.fanOutEvents, this.fanOutSeconds]) gauge.remove();
  }
}
