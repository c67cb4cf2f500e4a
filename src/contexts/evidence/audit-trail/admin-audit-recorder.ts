import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { setTimeout as delay } from 'node:timers/promises';
import { type Logger } from 'pino';
import { StoreUnavailable } from '../../../platform/event-sourcing/event-store.js';
import { Codec } from '../../../platform/event-sourcing/coding/codec.js';
import { Clock } from '../../../kernel/clock.js';
import { LOGGER } from '../../../platform/injection-tokens.js';
import { type AdminCall, AdminCallLog } from '../../../http/authenticating/record-admin-calls.js';
import { ADMIN_AUDIT_STREAMS, type AuditedCall, auditStreamId, parametersFound, redactNonIds } from '../domain/admin-audit.js';
import { Streams } from '../../../platform/event-sourcing/writing/stream-writer.js';

/** Milliseconds to delay the end of a call whose start is recorded, so that several are appended in one batch. */
const DEFER_MS = 250;
/** Milliseconds to record a call before it is refused, enough to retry a stalled append. A later append still records the refused call. */
const RECORD_TIMEOUT_MS = 10_000;

/** Records the calls of administrators and auditors in the event log (docs/adr/0009). */
@Injectable()
export class AdminAuditRecorder extends AdminCallLog implements OnApplicationShutdown {
  constructor(
    private readonly streams: Streams,
    private readonly clock: Clock,
    private readonly codec: Codec,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super();
  }

  /** Waits for pending appends for a limited time, because an unreachable event store must not keep the process from stopping. */
  async onApplicationShutdown(): Promise<void> {
    await withTimeout(this.streams.of(ADMIN_AUDIT_STREAMS).drain()).catch((error: unknown) => {
      this.logger.warn({ err: error }, 'could not record the ends of administrators’ calls before stopping');
    });
  }

  /** Records the start of a call before it changes anything. Resolves once it is durable. @throws StoreUnavailable after a timeout. */
  override async begin(call: AdminCall, correlationId: string): Promise<void> {
    const at = this.clock.iso();
    await withTimeout(
      this.streams.of(ADMIN_AUDIT_STREAMS).execute(auditStreamId(at), { kind: 'begin', at, call: recordOf(call) }, { correlationId }),
    );
  }

  /** Records a call that changed nothing. Resolves once the event is durable. @throws StoreUnavailable after a timeout. */
  override async end(call: AdminCall, status: number, correlationId: string): Promise<void> {
    const at = this.clock.iso();
    const recorded = { ...call, parameters: parametersFound(call.parameters, status, (stream) => this.codec.isForeign(stream)) };
    await withTimeout(
      this.streams.of(ADMIN_AUDIT_STREAMS).execute(auditStreamId(at), { kind: 'end', at, call: recorded, status }, { correlationId }),
    );
  }

  /** Records the end of a call whose start is recorded, without waiting. If that fails, the audit trail has no status for the call. */
  override endLater(call: AdminCall, status: number, correlationId: string): void {
    const at = this.clock.iso();
    this.streams
      .of(ADMIN_AUDIT_STREAMS)
      .execute(auditStreamId(at), { kind: 'end', at, call: recordOf(call), status }, { correlationId, deferMs: DEFER_MS })
      .catch((error: unknown) => {
        this.logger.warn({ err: error, correlation_id: correlationId, status }, 'could not record the end of an administrator’s call');
      });
  }
}

function recordOf(call: AdminCall): AuditedCall {
  return { ...call, parameters: redactNonIds(call.parameters) };
}

async function withTimeout(recording: Promise<unknown>): Promise<void> {
  const done = new AbortController();
  const late = delay(RECORD_TIMEOUT_MS, undefined, { signal: done.signal }).then(() =>
    Promise.reject(new StoreUnavailable('The audit trail could not be written in time.')),
  );
  try {
    await Promise.race([recording, late]);
  } finally {
    done.abort();
    late.catch(() => undefined);
    recording.catch(() => undefined);
  }
}
