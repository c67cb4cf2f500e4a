// Loaded before a program whose memory is watched, in each of its threads: tells now and then how much of its heap the thread uses.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setInterval } from 'node:timers';
import { threadId } from 'node:worker_threads';

const EVERY_MS = 500;
const file = join(process.env.BENCH_HEAP_DIR ?? '.', String(threadId));
setInterval(() => {
  const { heapUsed, external } = process.memoryUsage();
  writeFileSync(file, String(heapUsed + external));
}, EVERY_MS).unref();
