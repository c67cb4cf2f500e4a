// Preloaded into each thread of a program whose memory is measured; needs node --expose-gc. Writes the heap size of the thread to a file
// at intervals, and collects all garbage when the number in the file `collect` changes.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setInterval } from 'node:timers';
import { threadId } from 'node:worker_threads';

const EVERY_MS = 500;
const folder = process.env.BENCH_HEAP_DIR ?? '.';
const requestFile = join(folder, 'collect');
const reportFile = join(folder, String(threadId));
let collected = '0';
setInterval(() => {
  const wanted = existsSync(requestFile) ? readFileSync(requestFile, 'utf8') : '0';
  // The second collection frees objects that the first one has only finalized.
  if (wanted !== collected) for (let time = 0; time < 2; time += 1) globalThis.gc();
  collected = wanted;
  const { heapUsed, external } = process.memoryUsage();
  // Replaced atomically, because a reader would take a thread with a half-written file for one that has collected.
  writeFileSync(`${reportFile}.new`, `${heapUsed + external} ${collected}`);
  renameSync(`${reportFile}.new`, reportFile);
}, EVERY_MS).unref();
