import { createRequire } from 'node:module';
import { Writable } from 'node:stream';
import { isatty } from 'node:tty';
import pino, { type DestinationStream, type Logger } from 'pino';
import { LogOutput } from './log-output.js';
import { currentRequest } from '../tracing/request-context.js';
import { currentTraceId } from '../tracing/spans.js';

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
type LogLevel = (typeof LOG_LEVELS)[number];

const STANDARD_ERROR = 2;

export interface LoggerOptions {
  readonly logLevel: LogLevel;
}

/**
 * Creates a logger that writes to standard error: JSON lines or, on a terminal outside production, lines for people. A line that cannot be
 * written is dropped and counted. Callers must not pass personal
 * data, request bodies, keys or tokens.
 */
export function createLogger({ logLevel }: LoggerOptions, name: string): Logger {
  const options = {
    name,
    level: logLevel,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: withoutDetails },
    mixin: requestFields,
  };
  const output = new LogOutput(STANDARD_ERROR);
  return pino(options, forPeople(output) ?? output);
}

/** Returns a stream that formats the lines, or undefined if they are to be JSON. A production installation lacks pino-pretty. */
function forPeople(output: LogOutput): DestinationStream | undefined {
  if (process.env.NODE_ENV?.trim() === 'production' || !isatty(STANDARD_ERROR)) return undefined;
  try {
    const pretty = createRequire(import.meta.url)('pino-pretty') as (options: object) => DestinationStream;
    return pretty({
      destination: new Writable({
        write: (text: Buffer, _encoding, done) => {
          output.write(text.toString());
          done();
        },
      }),
      translateTime: 'SYS:HH:MM:ss.l',
      colorize: process.env.NO_COLOR === undefined,
    });
  } catch {
    return undefined;
  }
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
