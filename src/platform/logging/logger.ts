import pino, { type Logger } from 'pino';
import { currentRequest } from '../tracing/request-context.js';
import { currentTraceId } from '../tracing/spans.js';

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface LoggerOptions {
  readonly logLevel: LogLevel;
}

/** JSON lines on standard error. Nothing personal is ever handed to it; bodies, keys and tokens are not logged at all. */
export function createLogger({ logLevel }: LoggerOptions, name: string): Logger {
  const options = {
    name,
    level: logLevel,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: withoutDetails },
    mixin: ofRequest,
  };
  return pino(options, pino.destination({ dest: 2, sync: true }));
}

/** What a line was written for; a line that says so itself has the last word. */
function ofRequest(): object {
  const correlation_id = currentRequest()?.correlationId;
  const trace_id = currentTraceId();
  return { ...(correlation_id === undefined ? {} : { correlation_id }), ...(trace_id === undefined ? {} : { trace_id }) };
}

/** Drivers hang rows and parameters on their errors: those hold personal data. */
function withoutDetails(error: Error & { readonly code?: unknown }): object {
  const { name, message, code, stack } = error;
  return { type: name, message, code, stack };
}
