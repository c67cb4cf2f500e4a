import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

type Undo = () => unknown;

const GUARD = resolve('bench/support/guard.mjs');
/** Time for an orderly shutdown, longer than the service needs for one. */
const SHUTDOWN_TIMEOUT_MS = 60_000;

/** The folders and processes of a run. They are removed in reverse order at its end, also after a failure or Ctrl-C. */
export class CleanUp {
  readonly root = mkdtempSync(join(tmpdir(), 'rupa-bench-'));
  private readonly undos: Undo[] = [];
  private readonly guard: ChildProcess;
  private folders = 0;
  private running: Promise<void> | undefined;

  constructor() {
    // Under root, PostgreSQL's own user must be able to traverse the folder.
    chmodSync(this.root, 0o711);
    // A process in a group of its own outlives this one however it ends, and cleans up after it.
    this.guard = spawn(process.execPath, [GUARD, this.root], { stdio: ['pipe', 'ignore', 'inherit'], detached: true });
    this.guard.unref();
  }

  /** Registers clean-up work, which runs in reverse order of registration. Returns a function that runs it earlier. */
  add(work: Undo): () => Promise<void> {
    this.undos.push(work);
    return async () => {
      const index = this.undos.indexOf(work);
      if (index < 0) return;
      this.undos.splice(index, 1);
      await work();
    };
  }

  /** Creates a folder for data. */
  folder(): string {
    this.folders += 1;
    const path = join(this.root, String(this.folders));
    mkdirSync(path, { mode: 0o711 });
    return path;
  }

  /** Registers a process, which `signal` stops at the end of the run. Returns a function that stops it earlier. */
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

  /** Stops everything that was started so far; the run may go on. */
  async undo(): Promise<void> {
    for (let work = this.undos.pop(); work; work = this.undos.pop()) {
      try {
        await work();
      } catch (error) {
        process.stderr.write(`Clean-up failed: ${String(error)}\n`);
      }
    }
  }

  /** Stops everything and removes the folder of the run. */
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
  const killed = delay(SHUTDOWN_TIMEOUT_MS, undefined, { signal: timer.signal }).then(
    () => child.kill('SIGKILL'),
    () => undefined,
  );
  await exited;
  timer.abort();
  await killed;
}
