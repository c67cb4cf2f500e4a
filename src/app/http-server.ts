import { masterKeysOf } from '../platform/key-store/master-keys.js';
import { lostEventReasons } from '../operations/health/readiness-reasons.js';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type Logger } from 'pino';
import { createApi } from './api.js';
import { TestFarmers } from '../contexts/farmers/public.js';
import { recordApprovalLimit } from '../contexts/approvals/four-eyes.js';
import { beginPriceBook, refuseIncompletePriceBook } from '../contexts/pricing/publishing/begin-price-book.js';
import { Failures } from '../http/envelope.js';
import { startHealthServer } from '../operations/health/health-server.js';
import { Readiness } from '../operations/health/readiness.js';
import { watchHistory } from '../stores/missing-history.js';
import { eventCatalogue } from '../stores/event-catalogue.js';
import { createStoreClients } from '../stores/store-clients.js';
import { maintenanceInForce } from '../contexts/maintenance/recorded-maintenance.js';
import { Codec } from '../platform/event-sourcing/coding/codec.js';
import { type DataKeys } from '../platform/key-store/data-keys.js';
import { InstancePresence } from '../platform/database/instances/instance-presence.js';
import { EventStore } from '../platform/event-sourcing/event-store.js';
import { type ListenAddress, listening } from '../platform/http-server/listening.js';
import { type Settings } from '../settings/declaration.js';
import { type StoreAddresses } from '../stores/stores.js';
import { PRICE_BOOK_STREAMS } from '../contexts/pricing/domain/price-book.js';
import { Streams } from '../platform/event-sourcing/writing/stream-writer.js';

const IDLE_SWEEP_MS = 25;
const POOL_SIZE = 2;

/** The HTTP server of a process: the API or, for a process without the role `api`, health endpoints only. */
export interface HttpServer {
  /** Undefined for a process without the role `api`. */
  readonly api: NestFastifyApplication | undefined;
  readonly readiness: Readiness;
  /** Starts to serve and returns the address. */
  open(): Promise<string>;
  /** Finishes the requests in progress, settles their charges and closes the store clients. */
  close(): Promise<void>;
}

interface Parts {
  readonly settings: Settings;
  readonly logger: Logger;
}

export async function createApiServer({ settings, logger }: Parts, stores: StoreAddresses): Promise<HttpServer> {
  const { app: api, close } = await createApi(settings, stores, logger);
  const endWatch = watchHistory(api.get(EventStore), logger);
  return {
    api,
    readiness: api.get(Readiness),
    open: async () => {
      await beginPriceBook(api);
      await recordApprovalLimit(api, settings.approvalAbove ?? null);
      await refuseIncompletePriceBook(api.get(Streams).of(PRICE_BOOK_STREAMS));
      await api.get(TestFarmers).registerIfOutdated();
      await api.get(InstancePresence).serve();
      await listening(addressOf(settings), () => api.listen(settings.port, settings.host));
      return await api.getUrl();
    },
    close: async () => {
      // Node closes only the connections that are idle when the server closes. One that is busy then would stay open after its response.
      const idle = setInterval(() => {
        api.getHttpServer().closeIdleConnections();
      }, IDLE_SWEEP_MS);
      await endWatch();
      await close();
      clearInterval(idle);
    },
  };
}

/** Creates a server that listens at once, before the stores respond, so that probes see a live process that is not ready. */
export async function createHealthServer({ settings, logger }: Parts, stores: StoreAddresses): Promise<HttpServer> {
  const { pool, eventStore, clockGuard, compareClocks, close } = createStoreClients(stores, {
    poolSize: POOL_SIZE,
    recognisesLog: true,
    logger,
  });
  void compareClocks();
  const lostEvents = lostEventReasons(pool, eventStore, () => masterKeysOf(stores));
  const maxLagMs = settings.readyLagSeconds * 1_000;
  const readiness = new Readiness(pool, eventStore, clockGuard, settings.roles, maxLagMs, undefined, lostEvents);
  readiness.phase = 'starting';
  const codec = new Codec(eventCatalogue, {} as DataKeys);
  const maintenance = { inForce: () => maintenanceInForce(eventStore, codec, new Date()) };
  const server = await listening(addressOf(settings), () =>
    startHealthServer({ readiness, maintenance, failures: new Failures(settings.publicUrl) }, settings.host, settings.port),
  );
  const endWatch = watchHistory(eventStore, logger);
  return {
    api: undefined,
    readiness,
    open: () => {
      readiness.phase = 'serving';
      return Promise.resolve(server.address);
    },
    close: async () => {
      await server.close();
      await endWatch();
      await close();
    },
  };
}

function addressOf({ host, port }: Settings): ListenAddress {
  return { host, port, hostSetting: 'HOST', portSetting: 'PORT' };
}
