/** A moment of the history: totals of counters since the start of the process, and the state of the stores; null if it could not be read. */
export interface Sample {
  /** Milliseconds since 1970. */
  readonly atMs: number;
  readonly lookups: number;
  readonly billed: number;
  /** Lookups whose response was a 500 or a 503. */
  readonly errors: number;
  readonly refunds: number;
  readonly openCharges: number | null;
  readonly oldestChargeSeconds: number | null;
  /** Lag of the read model that is furthest behind. */
  readonly lagSeconds: number | null;
  readonly lagEvents: number | null;
  readonly deliveriesWaiting: number | null;
  /** Time for which the most overdue delivery to a failing endpoint has been due; 0 if there is none. */
  readonly failingSeconds: number | null;
}

export interface OverviewReading {
  /** A sentence for each reason why the service is not ready; none means ready. */
  readonly faults: readonly string[];
  /** A sentence for each reason why some calls are refused. */
  readonly degradedBy: readonly string[];
  /** At most the last hour, oldest first. */
  readonly samples: readonly Sample[];
}

/** The state of this process and of its stores. The application implements it, because the console imports nothing of the application. */
export abstract class OverviewSource {
  abstract read(): Promise<OverviewReading>;
}
