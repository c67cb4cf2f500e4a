import pino, { type Logger } from 'pino';
import { type Settings } from './settings.js';

/** JSON lines on standard error. Nothing personal is ever handed to it; bodies, keys and tokens are not logged at all. */
export function createLogger(settings: Pick<Settings, 'logLevel'>, name: string): Logger {
  const options = { name, level: settings.logLevel, base: null, timestamp: pino.stdTimeFunctions.isoTime, serializers: { err: withoutDetails } };
  return pino(options, pino.destination({ dest: 2, sync: true }));
}

/** Drivers hang rows and parameters on their errors: those hold personal data. */
function withoutDetails(error: Error & { readonly code?: unknown }): object {
  const { name, message, code, stack } = error;
  return { type: name, message, code, stack };
}
