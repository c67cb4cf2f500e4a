// Loaded with `node --import`: delays each flush of a file by the milliseconds in the file that SLOW_DISK names, as a disk does that is
// slow instead of full. The thread that flushes is blocked meanwhile, as by the real call.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const file = process.env.SLOW_DISK ?? '';
const flush = fs.fdatasyncSync;
const never = new Int32Array(new SharedArrayBuffer(4));

fs.fdatasyncSync = (descriptor) => {
  const delayMs = Number(fs.readFileSync(file, 'utf8'));
  if (delayMs > 0) Atomics.wait(never, 0, 0, delayMs);
  flush(descriptor);
};
syncBuiltinESMExports();
