import pino, { type Logger } from 'pino';
import { type Settings } from './settings.js';

/** JSON lines on standard error. Nothing personal is ever handed to it; bodies, keys and tokens are not logged at all. */
export function createLogger(settings: Pick<Settings, 'logLevel'>, name: string): Logger {
  return pino({ name, level: settings.logLevel, base: null, timestamp: pino.stdTimeFunctions.isoTime }, pino.destination({ dest: 2, sync: true }));
}
