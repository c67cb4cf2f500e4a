import pino, { type Logger } from 'pino';
import { currentRequest } from '../tracing/request-context.js';
import { currentTraceId } from '../tracing/spans.js';

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface LoggerOptions {
  readonly logLevel: LogLevel;
}

/** Creates a logger that writes JSON lines to standard error. Callers must not pass personal data, request bodies, keys or tokens. */
export function createLogger({ logLevel }: LoggerOptions, name: string): Logger {
  const options = {
    name,
    level: logLevel,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: withoutDetails },
    mixin: requestFields,
  };
  return pino(options, pino.destination({ dest: 2, sync: true }));
}

/** Returns the ids of the current request and trace. Fields of the same name in the log call take precedence. */
function requestFields(): object {
  const correlation_id = currentRequest()?.correlationId;
  const trace_id = currentTraceId();
  return { ...(correlation_id === undefined ? {} : { correlation_id }), ...(trace_id === undefined ? {} : { trace_id }) };
}

/** Keeps only these fields of an error, because drivers attach rows and parameters, which hold personal data. */
function withoutDetails(error: Error & { readonly code?: unknown }): object {
  const { name, message, code, stack } = error;
  return { type: name, message, code, stack };
}
