import { type Logger } from 'pino';
import { type Progress } from './shadow.js';

const EVERY_MS = 5_000;

/** Returns a callback that logs the progress of a rebuild, at most every five seconds. */
export function logProgress(logger: Logger): (progress: Progress) => void {
  let loggedAt = Date.now();
  return ({ events, position, target }) => {
    if (Date.now() - loggedAt < EVERY_MS) return;
    loggedAt = Date.now();
    logger.info({ events, position: position.toString(), target: target.toString() }, 'building read models from the log');
  };
}
