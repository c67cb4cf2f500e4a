import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { randomUUID } from 'node:crypto';
import { type IncomingMessage } from 'node:http';
import { type Logger } from 'pino';
import { SpanKind } from '@opentelemetry/api';
import { inRequest } from '../platform/tracing/request-context.js';
import { type HttpMetrics } from './http-metrics.js';
import { type OpenSpan, openSpan } from '../platform/tracing/spans.js';
import { type PartnerRequest } from './partner-context.js';

export const REQUEST_ID = 'X-Request-Id';
/** Only such an id of the caller's is taken over: it goes into the log for good, and nothing that names a person may. */
const UUID = /^[0-9a-f]{8}(-?[0-9a-f]{4}){3}-?[0-9a-f]{12}$/i;
/** As proxies have it: the caller hung up before its answer was there. */
const HUNG_UP = 499;

/** A request whose response was sent, or whose caller hung up (status 499). */
export interface SentResponse {
  /** Template of the route. */
  readonly route: string;
  readonly status: number;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

type TracedRequest = FastifyRequest & { span?: OpenSpan | undefined };

export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const sent = headers['x-request-id'];
  return typeof sent === 'string' && UUID.test(sent) ? sent : randomUUID();
}

/** Gives every answer its request id, every request a line in the log and a place in the metrics. */
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
    done();
  });
  // Not before the body is read: what the parser calls would be outside.
  fastify.addHook('preValidation', (request: TracedRequest, _reply, done) => {
    inRequest({ correlationId: request.id }, request.span ? () => request.span?.within(done) : done);
  });
  fastify.addHook('onResponse', (request: TracedRequest, reply, done) => {
    request.span?.end({ 'http.response.status_code': statusOf(reply) }, statusOf(reply) >= 500);
    metrics.answered(request.method, routeOf(request), statusOf(reply), reply.elapsedTime / 1_000);
    onResponse({ route: routeOf(request), status: statusOf(reply), request, reply });
    log(request, reply, logger);
    done();
  });
}

/** A caller's trace goes on here. */
function spanOf(request: FastifyRequest): OpenSpan | undefined {
  const { traceparent } = request.headers;
  const attributes = { 'http.request.method': request.method, 'http.route': routeOf(request), 'rupa.correlation_id': request.id };
  return openSpan(`${request.method} ${routeOf(request)}`, {
    kind: SpanKind.SERVER,
    attributes,
    parent: typeof traceparent === 'string' ? traceparent : null,
  });
}

/** No path, no query, no body: the template of the route says enough. Debug, since one is written for every lookup; failures always. */
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
    'a request was answered',
  );
}

function routeOf(request: FastifyRequest): string {
  return request.routeOptions.url ?? 'none';
}

function statusOf({ raw }: FastifyReply): number {
  return raw.writableEnded ? raw.statusCode : HUNG_UP;
}
