import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { type Logger } from 'pino';
import { type Application, createApplication } from './application.js';
import { AdminCallLog } from '../http/admin-call-log.js';
import { recordAdminCalls } from '../http/record-admin-calls.js';
import { enforceDeadlines } from '../http/deadline.js';
import { serveDocumentation } from './openapi/documentation.js';
import { Readiness } from './health/readiness.js';
import { failure } from '../http/envelope.js';
import { RESPONSE_HEADERS, sendSecurityHeaders } from '../http/security-headers.js';
import { observeRequests, REQUEST_ID, requestIdOf } from '../http/observe-requests.js';
import { ServiceMetrics } from './metrics/service-metrics.js';
import { NestLogger } from '../platform/logging/nest-logger.js';
import { traceCommands } from '../platform/tracing/trace-commands.js';
import { type Settings } from './settings/declaration.js';
import { type StoreAddresses } from './stores.js';

/** Limit of request bodies (decisions, "Limits"). */
const BODY_LIMIT_BYTES = 64 * 1024;
const MAX_PARAMETER_LENGTH = 16 * 1024;
const MALFORMED_REQUEST = 'The request cannot be understood.';
/** More connections than any proxy opens, and fewer than the usual limit of open files. */
const MAX_CONNECTIONS = 4_096;
/**
 * Load balancers close an idle connection after a minute. The service waits longer, so that it never closes a connection just as a request
 * arrives.
 */
const KEEP_ALIVE_MS = 72_000;
/**
 * A connection without traffic for this long is closed. No handler runs longer: the verification of wallets, the slowest, has 5 minutes.
 */
const IDLE_CONNECTION_MS = 6 * 60_000;
/** Interval at which Node looks for connections that exceed a timeout. Its default of 30 s would double a short timeout. */
const TIMEOUT_CHECK_MS = 1_000;

/** Responses to requests that Node's parser rejects, by Node's error code. Every other code is a 400. */
const CONNECTION_ERRORS: Readonly<Record<string, readonly [status: string, message: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request did not arrive in time.'],
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The request headers are larger than 16 KiB.'],
};

/** Creates the HTTP service. It does not listen yet. */
export async function createApi(settings: Settings, stores: StoreAddresses, logger: Logger): Promise<Application<NestFastifyApplication>> {
  const adapter = new FastifyAdapter({
    bodyLimit: BODY_LIMIT_BYTES,
    genReqId: requestIdOf,
    trustProxy: settings.trustedProxies.length > 0 ? [...settings.trustedProxies] : false,
    // Handlers validate path parameters themselves, so that too long a parameter gets their message and not the router's.
    routerOptions: { maxParamLength: MAX_PARAMETER_LENGTH },
    forceCloseConnections: 'idle',
    // Fastify's default is no timeout: a client that sends a byte a minute would keep a connection forever.
    requestTimeout: settings.requestTimeoutMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionTimeout: IDLE_CONNECTION_MS,
    http: { headersTimeout: settings.requestTimeoutMs, connectionsCheckingInterval: TIMEOUT_CHECK_MS, requireHostHeader: true },
    // While the service stops, it still handles requests that arrive on open connections.
    return503OnClosing: false,
    // Errors of the router and of Node's parser have the envelope of every other error.
    frameworkErrors: (_error: unknown, request: FastifyRequest, reply: FastifyReply) => {
      void reply
        .status(400)
        .headers({ ...RESPONSE_HEADERS, [REQUEST_ID]: request.id })
        .send(failure(MALFORMED_REQUEST));
    },
    clientErrorHandler: ({ code }, socket) => {
      if (!socket.writable) return;
      const [status, message] = CONNECTION_ERRORS[code] ?? ['400 Bad Request', MALFORMED_REQUEST];
      const body = JSON.stringify(failure(message));
      const headers = {
        ...RESPONSE_HEADERS,
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(body),
        Connection: 'close',
      };
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
      socket.end(`HTTP/1.1 ${status}\r\n${lines.join('')}\r\n${body}`);
    },
  });
  const fastify = adapter.getInstance();
  fastify.server.maxConnections = MAX_CONNECTIONS;
  acceptOnlyJson(fastify);
  enforceDeadlines(fastify);
  sendSecurityHeaders(fastify, settings.publicUrl);
  const application = await createApplication({ settings, stores, logger }, (module) =>
    NestFactory.create<NestFastifyApplication>(module, adapter, {
      logger: new NestLogger(logger),
      abortOnError: false,
      bodyParser: false,
    }),
  );
  const { app } = application;
  traceCommands(app, settings.tracing);
  const { http, lookups } = app.get(ServiceMetrics);
  observeRequests(fastify, {
    logger,
    metrics: http,
    onResponse: (response) => {
      lookups.count(response);
    },
  });
  recordAdminCalls(fastify, app.get(AdminCallLog));
  closeConnectionsWhenStopping(fastify, app.get(Readiness));
  serveDocumentation(app, settings.publicUrl);
  return application;
}

/** Makes clients with a keep-alive connection open a new one, which the load balancer routes to another process. */
function closeConnectionsWhenStopping(fastify: FastifyInstance, readiness: Readiness): void {
  fastify.addHook('onSend', (_request, reply, payload, done) => {
    if (readiness.phase === 'stopping') reply.header('Connection', 'close');
    done(null, payload);
  });
}

/**
 * Rejects form and plain-text bodies. An empty body counts as no body, because many clients send the Content-Type header with every
 * request.
 */
function acceptOnlyJson(fastify: FastifyInstance): void {
  const parse = fastify.getDefaultJsonParser('error', 'error');
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined);
    else void parse(request, body as string, done);
  });
}
