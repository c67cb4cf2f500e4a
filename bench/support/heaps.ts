import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { WORKERS } from './cpu-parts.js';

const PROBE = resolve('bench/support/heap-probe.mjs');
const POLL_MS = 50;
const GIVE_UP_MS = 60_000;

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
    return readdirSync(this.folder).filter((file) => /^\d+$/.test(file)).flatMap((thread) => {
      const [bytes, collections] = readFileSync(join(this.folder, thread), 'utf8').split(' ');
      return collections === undefined ? [] : [{ thread: nameOf(Number(thread)), usedMiB: Number(bytes) / 1_024 ** 2, collections: Number(collections) }];
    });
  }

  /**
   * Until each thread has collected all its garbage.
   * @throws Error for one that does not within a minute
   */
  async collectGarbage(): Promise<void> {
    this.collections += 1;
    writeFileSync(join(this.folder, 'collect'), String(this.collections));
    const deadline = Date.now() + GIVE_UP_MS;
    while (this.read().some(({ collections }) => collections !== this.collections)) {
      if (Date.now() > deadline) throw new Error('A thread does not collect its garbage.');
      await delay(POLL_MS);
    }
  }
}

/** By Node's number of a thread; 0 is the main one. */
function nameOf(thread: number): string {
  return thread === 0 ? 'main thread' : (WORKERS[thread - 1] ?? `thread ${thread}`);
}
