import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

type Work = () => unknown;

const GUARD = resolve('bench/support/guard.mjs');
/** Longer than the service takes to finish what it has begun. */
const PATIENCE_MS = 60_000;

/** What a run has started and must not leave behind: folders and processes, undone in reverse, also on failure and Ctrl-C. */
export class CleanUp {
  readonly root = mkdtempSync(join(tmpdir(), 'rupa-bench-'));
  private readonly works: Work[] = [];
  private readonly guard: ChildProcess;
  private folders = 0;
  private running: Promise<void> | undefined;

  constructor() {
    // PostgreSQL's own user passes through, where this runs as root.
    chmodSync(this.root, 0o711);
    // A process of its own group outlives this one, however it ends, and clears up then.
    this.guard = spawn(process.execPath, [GUARD, this.root], { stdio: ['pipe', 'ignore', 'inherit'], detached: true });
    this.guard.unref();
  }

  /** Undone last of all that is there so far; answers how to undo it earlier. */
  add(work: Work): () => Promise<void> {
    this.works.push(work);
    return async () => {
      const place = this.works.indexOf(work);
      if (place < 0) return;
      this.works.splice(place, 1);
      await work();
    };
  }

  /** A folder for data. */
  folder(): string {
    this.folders += 1;
    const path = join(this.root, String(this.folders));
    mkdirSync(path, { mode: 0o711 });
    return path;
  }

  /** A process that ends with this run, by `signal`; answers how to end it earlier. */
  own(child: ChildProcess, signal: NodeJS.Signals): () => Promise<void> {
    const { pid } = child;
    if (pid === undefined) return () => Promise.resolve();
    this.guard.stdin?.write(`+${pid} ${signal}\n`);
    void once(child, 'exit').then(
      () => this.guard.stdin?.write(`-${pid}\n`),
      () => undefined,
    );
    return this.add(() => endProcess(child, signal));
  }

  /** What was started is ended; more may be started. */
  async undo(): Promise<void> {
    for (let work = this.works.pop(); work; work = this.works.pop()) {
      try {
        await work();
      } catch (error) {
        process.stderr.write(`Clearing up: ${String(error)}\n`);
      }
    }
  }

  /** Everything goes. */
  async run(): Promise<void> {
    this.running ??= this.finish();
    await this.running;
  }

  private async finish(): Promise<void> {
    await this.undo();
    rmSync(this.root, { recursive: true, force: true });
    this.guard.stdin?.end();
  }
}

export async function endProcess(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill(signal);
  const timer = new AbortController();
  const killed = delay(PATIENCE_MS, undefined, { signal: timer.signal }).then(
    () => child.kill('SIGKILL'),
    () => undefined,
  );
  await exited;
  timer.abort();
  await killed;
}
