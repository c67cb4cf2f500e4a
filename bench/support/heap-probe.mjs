// Loaded before a program whose memory is watched, in each of its threads; needs node --expose-gc. Tells now and then how much of its heap
// the thread uses, and collects all garbage whenever the file `collect` holds another number.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setInterval } from 'node:timers';
import { threadId } from 'node:worker_threads';

const EVERY_MS = 500;
const folder = process.env.BENCH_HEAP_DIR ?? '.';
const asked = join(folder, 'collect');
const told = join(folder, String(threadId));
let collected = '0';
setInterval(() => {
  const wanted = existsSync(asked) ? readFileSync(asked, 'utf8') : '0';
  // The second frees what the first has only found to be finalized.
  if (wanted !== collected) for (let time = 0; time < 2; time += 1) globalThis.gc();
  collected = wanted;
  const { heapUsed, external } = process.memoryUsage();
  // Never found half written: a thread that is not seen would be taken for one that has collected.
  writeFileSync(`${told}.new`, `${heapUsed + external} ${collected}`);
  renameSync(`${told}.new`, told);
}, EVERY_MS).unref();
