import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { type RequestListener } from 'node:http';
import { type Logger } from 'pino';
import { createApiServer, refuseMalformedRequest } from './api-server.js';
import { type Application, createApplication } from './application.js';
import { AdminCallLog, recordAdminCalls } from '../http/authenticating/record-admin-calls.js';
import { canonicalAddress, isAllowed } from '../platform/http-server/address.js';
import { AdminAuthentication } from '../http/authenticating/admin-authentication.js';
import { authenticateRequests } from '../http/authenticating/authenticate-requests.js';
import { PartnerAuthentication } from '../http/authenticating/partner-authentication.js';
import { enforceDeadlines } from '../http/limiting/deadline.js';
import { acceptLists } from '../http/limiting/many-at-once.js';
import { discardOversizedBodies } from '../http/limiting/oversized-bodies.js';
import { MaintenanceMode } from '../http/limiting/maintenance-mode.js';
import { serveConsole } from '../console/console.js';
import { examine } from '../operations/doctor/examine.js';
import { serveDocumentation } from '../documentation/pages/serve-documentation.js';
import { Readiness } from '../operations/health/readiness.js';
import { Failures } from '../http/envelope.js';
import { RESPONSE_HEADERS, sendSecurityHeaders } from '../http/pages/security-headers.js';
import { acceptTables, acceptOnlyJson, decodablePath } from '../http/validating/request-body.js';
import { observeRequests, REQUEST_ID, requestIdOf } from '../http/observe-requests.js';
import { needReadModels } from '../http/need-read-models.js';
import { ReadModels } from '../platform/projecting/read-models.js';
import { Staleness } from '../platform/projecting/in-memory/staleness.js';
import { ServiceMetrics } from '../operations/metrics/service-metrics.js';
import { FigureRecorder } from '../contexts/figures/figure-recorder.js';
import { NestLogger } from '../platform/logging/nest-logger.js';
import { type ClosingReason } from '../platform/http-server/bounded-server.js';
import { type Settings } from '../settings/declaration.js';
import { type StoreAddresses } from '../stores/stores.js';
import { type INestApplicationContext } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { inSpan } from '../platform/tracing/spans.js';
import { type TracingOptions } from '../platform/tracing/start-tracing.js';

/** Limit of request bodies (decisions, "Limits"). */
const BODY_LIMIT_BYTES = 64 * 1024;
const MAX_PARAMETER_LENGTH = 16 * 1024;

/** Creates the HTTP service. It does not listen yet. */
export async function createApi(settings: Settings, stores: StoreAddresses, logger: Logger): Promise<Application<NestFastifyApplication>> {
  const failures = new Failures(settings.publicUrl);
  let countClosed: (reason: ClosingReason) => void = () => undefined;
  const adapter = new FastifyAdapter({
    serverFactory: (handle: RequestListener) =>
      createApiServer(settings, handle, (reason) => {
        countClosed(reason);
      }),
    bodyLimit: BODY_LIMIT_BYTES,
    genReqId: requestIdOf,
    rewriteUrl: decodablePath,
    trustProxy: trustedBy(settings.trustedProxies),
    // Handlers validate path parameters themselves, so that too long a parameter gets their message and not the router's.
    routerOptions: { maxParamLength: MAX_PARAMETER_LENGTH },
    forceCloseConnections: 'idle',
    // While the service stops, it still handles requests that arrive on open connections.
    return503OnClosing: false,
    // Errors of the router and of Node's parser have the envelope of every other error.
    frameworkErrors: (_error: unknown, request: FastifyRequest, reply: FastifyReply) => {
      void reply
        .status(400)
        .headers({ ...RESPONSE_HEADERS, [REQUEST_ID]: request.id })
        .send(failures.of('malformed_request'));
    },
    clientErrorHandler: ({ code }, socket) => {
      refuseMalformedRequest(code, socket, failures);
    },
  });
  const fastify = adapter.getInstance();
  acceptOnlyJson(fastify);
  acceptTables(fastify);
  acceptLists(fastify);
  discardOversizedBodies(fastify);
  enforceDeadlines(fastify);
  sendSecurityHeaders(fastify, settings.publicUrl);
  const application = await createApplication({ settings, stores, logger, servesCalls: true }, (module) =>
    NestFactory.create<NestFastifyApplication>(module, adapter, {
      logger: new NestLogger(logger),
      abortOnError: false,
      bodyParser: false,
    }),
  );
  const { app } = application;
  const { http } = app.get(ServiceMetrics);
  countClosed = (reason) => {
    http.connectionClosed(reason);
  };
  addHooks(app, settings, logger);
  await app.get(Staleness).start();
  serveDocumentation(app, { publicUrl: settings.publicUrl, webhookSourceAddresses: settings.webhookSourceAddresses });
  app.get(FigureRecorder).start();
  if (settings.roles.includes('console')) serveConsole(app, fastify, settings, () => examine(settings, stores));
  return application;
}

/** Adds what happens to every request before and after its handler, in this order. */
function addHooks(app: NestFastifyApplication, settings: Settings, logger: Logger): void {
  const fastify: FastifyInstance = app.getHttpAdapter().getInstance();
  traceCommands(app, settings.tracing);
  const { http, lookups } = app.get(ServiceMetrics);
  observeRequests(fastify, {
    logger,
    metrics: http,
    onResponse: (response) => {
      lookups.count(response);
    },
  });
  const [partners, administrators] = [app.get(PartnerAuthentication), app.get(AdminAuthentication)];
  authenticateRequests(fastify, { partners, administrators, maintenance: app.get(MaintenanceMode) });
  recordAdminCalls(fastify, app.get(AdminCallLog), app.get(Failures));
  needReadModels(fastify, {
    staleness: app.get(Staleness),
    readModels: app.get(ReadModels),
    maxStalenessMs: settings.maxStalenessSeconds * 1_000,
  });
  closeConnectionsWhenStopping(fastify, app.get(Readiness));
}

/** Returns whether an address, also one in X-Forwarded-For, is a trusted proxy. */
function trustedBy(proxies: readonly string[]): false | ((address: string) => boolean) {
  return proxies.length > 0 && ((address) => isAllowed(canonicalAddress(address), proxies));
}

/** Makes clients with a keep-alive connection open a new one, which the load balancer routes to another process. */
function closeConnectionsWhenStopping(fastify: FastifyInstance, readiness: Readiness): void {
  fastify.addHook('onSend', (_request, reply, payload, done) => {
    if (readiness.phase === 'stopping') reply.header('Connection', 'close');
    done(null, payload);
  });
}

/** Makes the CommandBus run every command in a span. */
function traceCommands(app: INestApplicationContext, { enabled }: Pick<TracingOptions, 'enabled'>): void {
  if (!enabled) return;
  const bus = app.get(CommandBus);
  const untraced: (command: object) => Promise<unknown> = bus.execute.bind(bus);
  // The span has only the command's name, because the command's fields may be personal.
  const traced = (command: object): Promise<unknown> => {
    const name = command.constructor.name;
    return inSpan(
      name,
      () => ({ attributes: { 'rupa.command': name } }),
      () => untraced(command),
    );
  };
  Object.assign(bus, { execute: traced });
}
