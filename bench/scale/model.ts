import { CPU_MICROS, DELIVERY_MICROS, FOOTPRINTS, PRUNED_AFTER_DAYS } from './coefficients.js';

const DAY_SECONDS = 86_400;
const YEAR_DAYS = 365;
/** Use of a core above which a queue in front of it grows quickly. */
export const BUSY_SHARE = 0.7;

/** A load in requests per day. */
export interface Load {
  readonly lookupsPerDay: number;
  /** Share of lookups in which a partner looks a farmer up for the first time. */
  readonly firstShare: number;
  /** Share of the other lookups that have an Idempotency-Key. */
  readonly keyedShare: number;
  readonly reportsPerDay: number;
  readonly deliveriesPerDay: number;
  /** Load of the busiest second, as a multiple of the day's average. */
  readonly peak: number;
}

export type Part = 'api' | 'projector' | 'webhooks' | 'eventStore' | 'postgres';

/** Parts that one thread or one node runs, so that more processes do not help. */
export const SINGLE_PARTS: readonly Part[] = ['projector', 'eventStore'];

export interface Forecast {
  readonly lookupsPerSecond: number;
  /** Bytes that a year adds. */
  readonly eventStore: number;
  readonly tables: number;
  readonly wal: number;
  /** Bytes of rows that are deleted after a time, once as many are deleted as are added. */
  readonly pruned: number;
  /** Cores in use in the busiest second. */
  readonly cores: Readonly<Record<Part, number>>;
  /** Processes that share the work in the busiest second, none of them busy for more than {@link BUSY_SHARE}. */
  readonly apis: number;
  readonly senders: number;
  /** The single part that is busiest, and the share of its core that it uses. */
  readonly busiest: { readonly part: Part; readonly share: number };
}

export function scaled(load: Load, factor: number): Load {
  return {
    ...load,
    lookupsPerDay: load.lookupsPerDay * factor,
    reportsPerDay: load.reportsPerDay * factor,
    deliveriesPerDay: load.deliveriesPerDay * factor,
  };
}

export function forecast(load: Load): Forecast {
  const { firstShare, keyedShare, lookupsPerDay, reportsPerDay, deliveriesPerDay, peak } = load;
  const daily = {
    first: lookupsPerDay * firstShare,
    keyed: lookupsPerDay * (1 - firstShare) * keyedShare,
    repeated: lookupsPerDay * (1 - firstShare) * (1 - keyedShare),
    report: reportsPerDay,
  };
  const perYear = (store: 'eventStore' | 'tables' | 'wal'): number =>
    YEAR_DAYS *
    (['first', 'keyed', 'repeated', 'report'] as const).reduce((sum, kind) => sum + daily[kind] * FOOTPRINTS[kind][store].value, 0);
  const peakOf = (perDay: number): number => (perDay / DAY_SECONDS) * peak;
  const coresOf = (part: keyof (typeof CPU_MICROS)['lookup']): number =>
    (peakOf(lookupsPerDay) * CPU_MICROS.lookup[part].value + peakOf(reportsPerDay) * CPU_MICROS.report[part].value) / 1e6;
  const cores: Record<Part, number> = {
    api: coresOf('api'),
    projector: coresOf('projector'),
    webhooks: (peakOf(deliveriesPerDay) * DELIVERY_MICROS.value) / 1e6,
    eventStore: coresOf('eventStore'),
    postgres: coresOf('postgres'),
  };
  const [part = 'projector'] = [...SINGLE_PARTS].sort((one, other) => cores[other] - cores[one]);
  return {
    lookupsPerSecond: peakOf(lookupsPerDay),
    eventStore: perYear('eventStore'),
    tables: perYear('tables'),
    wal: perYear('wal'),
    pruned:
      daily.keyed * FOOTPRINTS.keyed.pruned.value * PRUNED_AFTER_DAYS.lookup.value +
      daily.report * FOOTPRINTS.report.pruned.value * PRUNED_AFTER_DAYS.report.value,
    cores,
    apis: processes(cores.api),
    senders: processes(cores.webhooks),
    busiest: { part, share: cores[part] },
  };
}

function processes(cores: number): number {
  return Math.max(1, Math.ceil(cores / BUSY_SHARE));
}
