import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { WORKERS } from './cpu-parts.js';
import { until } from './until.js';

const PROBE = resolve('bench/support/heap-probe.mjs');
const COLLECTED = { everyMs: 50, giveUpMs: 60_000, otherwise: 'A thread of the service did not collect its garbage within a minute.' };

interface Heap {
  readonly thread: string;
  readonly usedMiB: number;
  /** Number of the last requested garbage collection that the thread has done. */
  readonly collections: number;
}

/** The heap sizes of a program's threads, from the probe that is preloaded into each of them. */
export class Heaps {
  private collections = 0;

  constructor(private readonly folder: string) {}

  /** Options to start the program with. */
  get options(): { readonly nodeArgs: readonly string[]; readonly env: Readonly<Record<string, string>> } {
    return { nodeArgs: ['--expose-gc', '--import', PROBE], env: { BENCH_HEAP_DIR: this.folder } };
  }

  read(): Heap[] {
    return readdirSync(this.folder)
      .filter((file) => /^\d+$/.test(file))
      .map((thread) => {
        const [bytes, collections] = readFileSync(join(this.folder, thread), 'utf8').split(' ').map(Number);
        return { thread: nameOf(Number(thread)), usedMiB: (bytes ?? 0) / 1_024 ** 2, collections: collections ?? 0 };
      });
  }

  /**
   * Waits until each thread has collected all of its garbage.
   * @throws Error if one does not within a minute.
   */
  async collectGarbage(): Promise<void> {
    this.collections += 1;
    writeFileSync(join(this.folder, 'collect'), String(this.collections));
    await until(() => this.read().every(({ collections }) => collections === this.collections), COLLECTED);
  }
}

/** Returns the name of a thread by Node's number; 0 is the main thread. */
function nameOf(thread: number): string {
  return thread === 0 ? 'main thread' : (WORKERS[thread - 1] ?? `thread ${thread}`);
}
