import { closeSync, fdatasyncSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { median } from 'simple-statistics';

const FILE_BYTES = 1024 * 1024;
const WRITE_BYTES = 1024;
const TIMES = 300;

/** Returns the median time to write 1 KiB into a preallocated file and flush it, in ms. No durable append can be faster. */
export function flushMs(folder: string): number {
  const path = join(folder, 'flush');
  writeFileSync(path, Buffer.alloc(FILE_BYTES), { flush: true });
  const file = openSync(path, 'r+');
  const took = Array.from({ length: TIMES }, (_, index) => {
    const began = performance.now();
    writeSync(file, Buffer.alloc(WRITE_BYTES, index), 0, WRITE_BYTES, (index * WRITE_BYTES) % FILE_BYTES);
    fdatasyncSync(file);
    return performance.now() - began;
  });
  closeSync(file);
  return median(took);
}
