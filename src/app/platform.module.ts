import { type DynamicModule, Global, Module, type Provider } from '@nestjs/common';
import { type Pool } from 'pg';
import { type Logger } from 'pino';
import { Clock } from '../kernel/clock.js';
import { Codec } from '../platform/event-sourcing/coding/codec.js';
import { EventStore } from '../platform/event-sourcing/event-store.js';
import { FREE_CALLS_POOL, LOGGER, POOL } from '../platform/injection-tokens.js';
import { DataKeys } from '../platform/key-store/data-keys.js';
import { MasterKeys } from '../platform/key-store/master-keys.js';
import { Secrets } from '../platform/key-store/secrets.js';
import { HttpMetrics } from '../http/observe-requests.js';
import { DeletedRowsMetrics } from '../platform/metrics/definitions/deleted-rows.js';
import { ServiceMetrics } from '../operations/metrics/service-metrics.js';
import { InstancePresence, OtherInstances } from '../platform/database/instances/instance-presence.js';
import { DirectoryChanges } from '../platform/projecting/in-memory/directory-changes.js';
import { ReadModelListener } from '../platform/projecting/in-memory/read-model-listener.js';
import { NewestRows } from '../platform/projecting/newest-rows.js';
import { RowMacs } from '../platform/projecting/row-macs.js';
import { ReadModels } from '../platform/projecting/read-models.js';
import { Staleness } from '../platform/projecting/in-memory/staleness.js';
import { projections } from '../../projections/index.js';
import { ReadYourWrites } from '../platform/projecting/in-memory/read-your-writes.js';
import { SystemClock } from '../platform/system-clock.js';
import { AdminTokens } from '../http/authenticating/admin-tokens.js';
import { ErrorResponses } from '../http/errors/error-responses.js';
import { errorResponses } from './registered-errors.js';
import { ServiceState } from '../console/service-state.js';
import { FigureRecorder } from '../contexts/figures/figure-recorder.js';
import { lostEventReasons } from '../operations/health/readiness-reasons.js';
import { Readiness, SharedReadiness } from '../operations/health/readiness.js';
import { figureRecorder } from '../operations/metrics/record-figures.js';
import { narrowOptions } from './narrow-options.js';
import { type Platform } from './platform.js';
import { type Settings } from '../settings/declaration.js';
import { type StoreAddresses } from '../stores/stores.js';
import { Streams } from '../platform/event-sourcing/writing/stream-writer.js';

export interface PlatformModuleOptions {
  readonly settings: Settings;
  readonly stores: Pick<StoreAddresses, 'adminToken' | 'auditorToken'>;
  readonly logger: Logger;
  readonly metrics: ServiceMetrics;
  readonly platform: Platform;
  /** Default: the pool of all other calls. */
  readonly freeCalls?: Pool | undefined;
}

/** Provides every context with the clients and keys of a connected platform, the clock, the metrics and the settings. */
@Global()
@Module({})
export class PlatformModule {
  static for({ settings, stores, logger, metrics, platform, freeCalls }: PlatformModuleOptions): DynamicModule {
    const { pool, eventStore, clockGuard, masterKeys, dataKeys, secrets, codec, macs, listener } = platform;
    const clock = new SystemClock();
    const presence = new InstancePresence(pool, clock);
    const providers: Provider[] = [
      ...narrowOptions(settings),
      { provide: LOGGER, useValue: logger },
      { provide: ErrorResponses, useValue: errorResponses },
      { provide: AdminTokens, useFactory: () => new AdminTokens({ admin: stores.adminToken, auditor: stores.auditorToken }) },
      { provide: Clock, useValue: clock },
      { provide: ServiceMetrics, useValue: metrics },
      { provide: HttpMetrics, useValue: metrics.http },
      { provide: DeletedRowsMetrics, useValue: metrics.deletedRows },
      { provide: POOL, useValue: pool },
      { provide: FREE_CALLS_POOL, useValue: freeCalls ?? pool },
      { provide: EventStore, useValue: eventStore },
      { provide: MasterKeys, useValue: masterKeys },
      { provide: DataKeys, useValue: dataKeys },
      { provide: Secrets, useValue: secrets },
      { provide: Codec, useValue: codec },
      { provide: RowMacs, useValue: macs },
      { provide: Streams, useValue: new Streams(eventStore, codec, clock) },
      { provide: ReadModelListener, useValue: listener },
      { provide: InstancePresence, useValue: presence },
      { provide: OtherInstances, useValue: new OtherInstances(pool, presence, clock) },
      ReadModels,
      NewestRows,
      ReadYourWrites,
      DirectoryChanges,
      { provide: Staleness, useFactory: () => new Staleness(projections, eventStore, listener, clock) },
      {
        provide: Readiness,
        useFactory: () => {
          const lostEvents = lostEventReasons(pool, eventStore, () => masterKeys);
          return new Readiness(pool, eventStore, clockGuard, settings.roles, settings.readyLagSeconds * 1_000, listener, lostEvents);
        },
      },
      { provide: ServiceState, useFactory: (readiness: Readiness) => new SharedReadiness(readiness), inject: [Readiness] },
      {
        provide: FigureRecorder,
        useFactory: () => {
          const roles = settings.roles.filter((role) => role === 'api' || role === 'console');
          return figureRecorder({ metrics, pool, eventStore, clock, roles });
        },
      },
    ];
    return { module: PlatformModule, providers, exports: providers };
  }
}
