import { type Logger } from 'pino';
import { type Progress } from './shadow.js';

const EVERY_MS = 5_000;

/** Says now and then how far a rebuild is. */
export function logProgress(logger: Logger): (progress: Progress) => void {
  let saidAt = Date.now();
  return ({ events, position, target }) => {
    if (Date.now() - saidAt < EVERY_MS) return;
    saidAt = Date.now();
    logger.info({ events, position: position.toString(), target: target.toString() }, 'building read models from the log');
  };
}
