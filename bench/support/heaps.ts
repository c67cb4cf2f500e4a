import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { WORKERS } from './cpu-parts.js';
import { until } from './until.js';

const PROBE = resolve('bench/support/heap-probe.mjs');
const COLLECTED = { everyMs: 50, giveUpMs: 60_000, otherwise: 'A thread does not collect its garbage.' };

interface Heap {
  readonly thread: string;
  readonly usedMiB: number;
  /** How often it has been asked to collect its garbage, and has. */
  readonly collections: number;
}

/** The heaps of a program's threads, as the probe tells that is loaded into each of them. */
export class Heaps {
  private collections = 0;

  constructor(private readonly folder: string) {}

  /** What to start the program with. */
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
   * Until each thread has collected all its garbage.
   * @throws Error for one that does not within a minute
   */
  async collectGarbage(): Promise<void> {
    this.collections += 1;
    writeFileSync(join(this.folder, 'collect'), String(this.collections));
    await until(() => this.read().every(({ collections }) => collections === this.collections), COLLECTED);
  }
}

/** By Node's number of a thread; 0 is the main one. */
function nameOf(thread: number): string {
  return thread === 0 ? 'main thread' : (WORKERS[thread - 1] ?? `thread ${thread}`);
}
