import { Counter, type Registry } from 'prom-client';
import { droppedLogLines } from '../../logging/log-output.js';

/** Counts the lines of the log that could not be written. */
export function countDroppedLogLines(registry: Registry): Counter {
  return new Counter({
    name: 'rupa_log_lines_dropped_total',
    help: 'Lines of the log that this process could not write, such as on a full disk',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(droppedLogLines());
    },
  });
}
