import { randomUUID } from 'node:crypto';
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { HistoryMissing } from '../../platform/event-sourcing/event-store.js';
import { callerAddress } from '../../platform/http-server/address.js';
import { hookOf } from '../limiting/deadline.js';
import { ENVELOPE_TYPE, type Failures } from '../envelope.js';
import { HISTORY_RETRY_SECONDS } from '../errors/error-codes.js';
import { type TokenHolder, type AdminRole } from './admin-tokens.js';

/** An administrator's call as recorded in the audit trail, without body and query, which may be personal. */
export interface AdminCall {
  /** Identifies the call in the audit trail. The service draws it, because a caller may choose the request id. */
  readonly call_id: string;
  readonly role: AdminRole;
  readonly name: string | null;
  readonly fingerprint: string;
  readonly address: string;
  readonly method: string;
  /** Template of the route. */
  readonly route: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Why the caller read personal data; not on every call. */
  readonly reason?: string;
}

/** Records administrators' calls in the audit trail (docs/adr/0009). A context implements it. */
export abstract class AdminCallLog {
  /**
   * Records the start of a call that may change something, and resolves once the record is durable.
   * @throws StoreUnavailable if that takes too long
   */
  abstract begin(call: AdminCall, correlationId: string): Promise<void>;

  /** Records a call that only reads, and resolves once the record is durable. @throws StoreUnavailable if that takes too long */
  abstract end(call: AdminCall, status: number, correlationId: string): Promise<void>;

  /** Records, in the background, the end of a call whose start is recorded. */
  abstract endLater(call: AdminCall, status: number, correlationId: string): void;
}

export type AdminRequest = FastifyRequest & {
  administrator?: TokenHolder;
  /** Why the caller reads personal data, in the caller's words. */
  reason?: string | undefined;
  auditCallId?: string;
  /** Whether the start of the call is recorded in the audit trail. */
  auditBegun?: boolean;
};

const UNRECORDED = 'The call could not be recorded. Please retry with backoff.';
const NO_AUDIT_TRAIL =
  'The call could not be recorded, because the history of a stream of the audit trail is missing. Nothing was changed. An operator has to bring it back: rupa doctor names the stream.';

function callOf(request: AdminRequest, { role, name, fingerprint }: TokenHolder): AdminCall {
  const { method, routeOptions, params } = request;
  request.auditCallId ??= randomUUID();
  return {
    call_id: request.auditCallId,
    role,
    name,
    fingerprint,
    address: callerAddress(request),
    method,
    route: routeOptions.url ?? '?',
    parameters: params as Record<string, unknown>,
    ...(request.reason === undefined ? {} : { reason: request.reason }),
  };
}

/**
 * Records every call with a valid token, with its outcome (docs/adr/0009). A call that only reads is recorded before its response is sent;
 * if that fails, the response is a 503 instead. Any other call is recorded before it starts, once its body has arrived.
 */
export function recordAdminCalls(fastify: FastifyInstance, audit: AdminCallLog, failures: Failures): void {
  const begin = hookOf(async (request: AdminRequest) => {
    const { administrator } = request;
    if (!administrator || request.method === 'GET') return;
    await audit.begin(callOf(request, administrator), request.id);
    request.auditBegun = true;
  });
  fastify.addHook('preHandler', begin);
  fastify.addHook('onSend', async (request: AdminRequest, reply: FastifyReply, payload) => {
    const { administrator } = request;
    if (!administrator) return payload;
    if (request.auditBegun) {
      audit.endLater(callOf(request, administrator), reply.statusCode, request.id);
      return payload;
    }
    try {
      await audit.end(callOf(request, administrator), reply.statusCode, request.id);
      return payload;
    } catch (error) {
      const isMissing = error instanceof HistoryMissing;
      const body = JSON.stringify(isMissing ? failures.of('history_missing', NO_AUDIT_TRAIL) : failures.of('unavailable', UNRECORDED));
      reply.code(503).headers({
        'Retry-After': isMissing ? HISTORY_RETRY_SECONDS : 1,
        'Content-Type': ENVELOPE_TYPE,
        'Content-Length': Buffer.byteLength(body),
      });
      reply.removeHeader('Content-Disposition');
      return body;
    }
  });
}
