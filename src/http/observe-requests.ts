import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { randomUUID } from 'node:crypto';
import { type IncomingMessage } from 'node:http';
import { type Logger } from 'pino';
import { SpanKind } from '@opentelemetry/api';
import { Call, inRequest } from '../platform/tracing/request-context.js';
import { type OpenSpan, openSpan } from '../platform/tracing/spans.js';
import { type TokenHolder } from './authenticating/admin-tokens.js';
import { type PartnerRequest } from './authenticating/partner-context.js';
import { Counter, Histogram, type Registry } from 'prom-client';
import { CLOSING_REASONS, type ClosingReason } from '../platform/http-server/bounded-server.js';

/** Buckets from the duration of a lookup on a cached wallet to the deadline of a request. */
const BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20];

const RATE_LIMITS = ['partner', 'running', 'failed_authentication', 'profile_page', 'log'] as const;
export type RateLimitName = (typeof RATE_LIMITS)[number];

/** Metrics of HTTP. The label `route` is the route's template, never the path, because paths contain ids. */
export class HttpMetrics {
  private readonly duration: Histogram<'method' | 'route' | 'status'>;
  private readonly limited: Counter<'limit'>;
  private readonly closed: Counter<'reason'>;

  constructor(registry: Registry) {
    this.duration = new Histogram({
      name: 'rupa_http_request_duration_seconds',
      help: 'Duration of requests by method, route template and status; status 499: the caller closed the connection first',
      labelNames: ['method', 'route', 'status'],
      buckets: BUCKETS_SECONDS,
      registers: [registry],
    });
    this.limited = new Counter({
      name: 'rupa_rate_limited_requests_total',
      help: 'Requests rejected with 429, by the limit that they exceeded',
      labelNames: ['limit'],
      registers: [registry],
    });
    for (const limit of RATE_LIMITS) this.limited.inc({ limit }, 0);
    this.closed = new Counter({
      name: 'rupa_http_connections_closed_total',
      help: 'Connections that the API closed because of a limit, by the limit',
      labelNames: ['reason'],
      registers: [registry],
    });
    for (const reason of CLOSING_REASONS) this.closed.inc({ reason }, 0);
  }

  responded(method: string, route: string, status: number, seconds: number): void {
    this.duration.observe({ method, route, status }, seconds);
  }

  connectionClosed(reason: ClosingReason): void {
    this.closed.inc({ reason });
  }

  rateLimited(limit: RateLimitName): void {
    this.limited.inc({ limit });
  }
}

export const REQUEST_ID = 'X-Request-Id';
/** A request id from the caller is used only if it is a UUID. It is stored in the log forever, so it must not name a person. */
export const REQUEST_ID_PATTERN = '^[0-9A-Fa-f]{8}(-?[0-9A-Fa-f]{4}){3}-?[0-9A-Fa-f]{12}$';
const UUID = new RegExp(REQUEST_ID_PATTERN);
/** Status that nginx uses when the caller disconnects before the response. */
const CLIENT_CLOSED_REQUEST = 499;
const MAX_LISTENERS = 32;

/** A request whose response was sent, or whose caller disconnected before (status 499). */
export interface SentResponse {
  /** Template of the route. */
  readonly route: string;
  readonly status: number;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

type TracedRequest = FastifyRequest & { span?: OpenSpan | undefined; call?: Call } & Partial<Pick<PartnerRequest, 'partner'>> & {
    administrator?: TokenHolder;
  };

export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const sent = headers['x-request-id'];
  return typeof sent === 'string' && UUID.test(sent) ? sent : randomUUID();
}

/** Sets the request id of every response, and logs, measures and traces every request. */
export function observeRequests(
  fastify: FastifyInstance,
  {
    logger,
    metrics,
    onResponse,
  }: { readonly logger: Logger; readonly metrics: HttpMetrics; readonly onResponse: (response: SentResponse) => void },
): void {
  fastify.addHook('onRequest', (request: TracedRequest, reply, done) => {
    // Administrators do not choose request ids: events refer to the call that caused them by its request id. The router has decoded the path.
    if (routeOf(request).startsWith('/admin/')) request.id = randomUUID();
    reply.header(REQUEST_ID, request.id);
    request.span = spanOf(request);
    // A response that is streamed has a dozen listeners for its end, of which Node would warn as of a leak.
    reply.raw.setMaxListeners(MAX_LISTENERS);
    // Fastify's hook for responses is not called for a body that is cut off.
    reply.raw.once('close', () => {
      request.call?.end();
      request.span?.end({ 'http.response.status_code': statusOf(reply) }, statusOf(reply) >= 500);
      metrics.responded(request.method, routeOf(request), statusOf(reply), reply.elapsedTime / 1_000);
      onResponse({ route: routeOf(request), status: statusOf(reply), request, reply });
      log(request, reply, logger);
    });
    done();
  });
  // The context starts after the body is read, because the callbacks of the body parser would run outside of it.
  fastify.addHook('preValidation', (request: TracedRequest, reply, done) => {
    const call = new Call(callerOf(request));
    request.call = call;
    if (reply.raw.closed) call.end();
    inRequest({ correlationId: request.id, call }, request.span ? () => request.span?.within(done) : done);
  });
}

/** Starts a span, which continues the caller's trace if the request carries one. */
function spanOf(request: FastifyRequest): OpenSpan | undefined {
  const { traceparent } = request.headers;
  const attributes = { 'http.request.method': request.method, 'http.route': routeOf(request), 'rupa.correlation_id': request.id };
  return openSpan(`${request.method} ${routeOf(request)}`, {
    kind: SpanKind.SERVER,
    attributes,
    parent: typeof traceparent === 'string' ? traceparent : null,
  });
}

/** Returns whose share of the database a free call takes. Calls without authentication have one share. */
function callerOf({ partner, administrator }: TracedRequest): string {
  if (partner) return partner.partner_id;
  return administrator ? `administrator ${administrator.fingerprint}` : 'anybody';
}

/**
 * Writes a line without path, query and body, which may be personal. The level is debug, because there is a line for every lookup; 5xx
 * responses are logged at info.
 */
function log(request: FastifyRequest & Pick<PartnerRequest, 'partner'>, reply: FastifyReply, logger: Logger): void {
  const status = statusOf(reply);
  const level = status >= 500 ? 'info' : 'debug';
  if (!logger.isLevelEnabled(level)) return;
  const partner = request.partner ? { partner_id: request.partner.partner_id } : {};
  logger[level](
    {
      method: request.method,
      route: routeOf(request),
      status,
      duration_ms: Math.round(reply.elapsedTime * 1_000) / 1_000,
      correlation_id: request.id,
      ...partner,
    },
    'a request was handled',
  );
}

function routeOf(request: FastifyRequest): string {
  return request.routeOptions.url ?? 'none';
}

function statusOf({ raw }: FastifyReply): number {
  // The service sets the status of a response that it cuts off.
  return raw.writableEnded || raw.statusCode >= 500 ? raw.statusCode : CLIENT_CLOSED_REQUEST;
}
