import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { setTimeout as delay } from 'node:timers/promises';
import { type Logger } from 'pino';
import { StoreUnavailable } from '../../platform/event-sourcing/event-store.js';
import { Clock } from '../../kernel/clock.js';
import { LOGGER } from '../../platform/injection-tokens.js';
import { type AdminCall, AdminCallLog } from '../../http/admin-call-log.js';
import { AdminAuditStream } from './admin-audit-stream.js';
import { recordable } from './domain/admin-audit.js';
import { type AdministratorsCall } from './domain/events.js';

/** How long the end of a call that is recorded already may wait for others to be written with. */
const DEFER_MS = 250;
/** One that stalls is tried a second time by then. What is written later still tells of a call that was refused. */
const RECORD_WITHIN_MS = 10_000;

/** Who called what, and when, in the log (docs/adr/0009). */
@Injectable()
export class AdminAuditRecorder extends AdminCallLog implements OnApplicationShutdown {
  constructor(
    private readonly stream: AdminAuditStream,
    private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super();
  }

  /** A log that cannot be written must not keep the process from ending. */
  async onApplicationShutdown(): Promise<void> {
    await inTime(this.stream.drain()).catch((error: unknown) => {
      this.logger.warn({ err: error }, 'the ends of administrators’ calls could not be recorded before stopping');
    });
  }

  /** Before anything is changed: resolves once it is in the log. @throws StoreUnavailable where that takes too long. */
  override async begin(call: AdminCall, correlationId: string): Promise<void> {
    const recorded = this.now(call);
    await inTime(this.stream.execute(dayOf(recorded), { kind: 'begin', call: recorded }, { correlationId }));
  }

  /** For what changed nothing: resolves once it is in the log. @throws StoreUnavailable where that takes too long. */
  override async end(call: AdminCall, status: number, correlationId: string): Promise<void> {
    const recorded = this.now(call);
    await inTime(this.stream.execute(dayOf(recorded), { kind: 'end', call: recorded, status }, { correlationId }));
  }

  /** For a call whose beginning is recorded: nobody waits, and where it cannot be written any more the beginning stands alone. */
  override endLater(call: AdminCall, status: number, correlationId: string): void {
    const recorded = this.now(call);
    this.stream
      .execute(dayOf(recorded), { kind: 'end', call: recorded, status }, { correlationId, deferMs: DEFER_MS })
      .catch((error: unknown) => {
        this.logger.warn({ err: error, correlation_id: correlationId, status }, 'the end of an administrator’s call could not be recorded');
      });
  }

  private now(call: AdminCall): AdministratorsCall {
    return { recorded_at: this.clock.iso(), ...call, parameters: recordable(call.parameters) };
  }
}

async function inTime(recording: Promise<unknown>): Promise<void> {
  const done = new AbortController();
  const late = delay(RECORD_WITHIN_MS, undefined, { signal: done.signal }).then(() =>
    Promise.reject(new StoreUnavailable('The log could not be written in time.')),
  );
  try {
    await Promise.race([recording, late]);
  } finally {
    done.abort();
    late.catch(() => undefined);
    recording.catch(() => undefined);
  }
}

function dayOf({ recorded_at }: AdministratorsCall): string {
  return recorded_at.slice(0, 'yyyy-mm-dd'.length);
}
