import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { type Logger } from 'pino';
import { type Application, createApplication } from './application.js';
import { AdminCallLog } from '../http/admin-call-log.js';
import { recordAdminCalls } from '../http/record-admin-calls.js';
import { keepDeadlines } from '../http/deadline.js';
import { serveDocumentation } from './openapi/documentation.js';
import { Readiness } from './health/readiness.js';
import { failure } from '../http/envelope.js';
import { ANSWER_HEADERS, sendSecurityHeaders } from '../http/security-headers.js';
import { observeRequests, REQUEST_ID, requestIdOf } from '../http/observe-requests.js';
import { ServiceMetrics } from './metrics/service-metrics.js';
import { NestLogger } from '../platform/logging/nest-logger.js';
import { traceCommands } from '../platform/tracing/trace-commands.js';
import { type Settings } from './settings/declaration.js';
import { type StoreAddresses } from './stores.js';

/** Decisions, "Limits". */
const BODY_LIMIT_BYTES = 64 * 1024;
const MAX_PARAMETER_LENGTH = 16 * 1024;
const UNINTELLIGIBLE = 'The request cannot be understood.';
/** More than any proxy opens, and below what a process may have of files. */
const MAX_CONNECTIONS = 4_096;
/** Longer than the minute that load balancers keep a connection: they, not we, close it, and no request crosses with its end. */
const KEEP_ALIVE_MS = 72_000;
/** A caller who takes nothing of an answer, or sends nothing, for so long is gone; no handler takes as long (the verification of wallets has 5 minutes). */
const SILENCE_MS = 6 * 60_000;
/** How late, at most, what is overdue is noticed: Node's 30 s would double a short limit. */
const OVERDUE_CHECK_MS = 1_000;

/** What Node's parser refuses, by its code; everything else cannot be understood. */
const CONNECTION_ERRORS: Readonly<Record<string, readonly [status: string, message: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request did not come in time.'],
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The request headers are larger than 16 KiB.'],
};

/** The HTTP service, not listening yet. */
export async function createApi(settings: Settings, stores: StoreAddresses, logger: Logger): Promise<Application<NestFastifyApplication>> {
  const adapter = new FastifyAdapter({
    bodyLimit: BODY_LIMIT_BYTES,
    genReqId: requestIdOf,
    trustProxy: settings.trustedProxies.length > 0 ? [...settings.trustedProxies] : false,
    // The checks of what is in a path are ours, with our messages.
    routerOptions: { maxParamLength: MAX_PARAMETER_LENGTH },
    forceCloseConnections: 'idle',
    // Fastify's own default is none: whoever sends a byte a minute would keep a connection for ever.
    requestTimeout: settings.requestTimeoutMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionTimeout: SILENCE_MS,
    http: { headersTimeout: settings.requestTimeoutMs, connectionsCheckingInterval: OVERDUE_CHECK_MS, requireHostHeader: true },
    // What was sent on a connection that was still open is answered like everything else.
    return503OnClosing: false,
    // What Node's parser and the router themselves refuse must look like every other error.
    frameworkErrors: (_error: unknown, request: FastifyRequest, reply: FastifyReply) => {
      void reply
        .status(400)
        .headers({ ...ANSWER_HEADERS, [REQUEST_ID]: request.id })
        .send(failure(UNINTELLIGIBLE));
    },
    clientErrorHandler: ({ code }, socket) => {
      if (!socket.writable) return;
      const [status, message] = CONNECTION_ERRORS[code] ?? ['400 Bad Request', UNINTELLIGIBLE];
      const body = JSON.stringify(failure(message));
      const headers = {
        ...ANSWER_HEADERS,
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
  acceptJsonAlone(fastify);
  keepDeadlines(fastify);
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

/** A client that keeps its connection learns that it has to come back on another one, which a balancer gives to somebody else. */
function closeConnectionsWhenStopping(fastify: FastifyInstance, readiness: Readiness): void {
  fastify.addHook('onSend', (_request, reply, payload, done) => {
    if (readiness.phase === 'stopping') reply.header('Connection', 'close');
    done(null, payload);
  });
}

/** No forms and no plain text. An empty body is none, whatever its type: many clients send the header with every call. */
function acceptJsonAlone(fastify: FastifyInstance): void {
  const parse = fastify.getDefaultJsonParser('error', 'error');
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined);
    else void parse(request, body as string, done);
  });
}
