import { type ChildProcess, spawn } from 'node:child_process';
import { resolve } from 'node:path';

const GUARD = resolve('test/support/pid-guard.mjs');
let guard: ChildProcess | undefined;

/** Ensures that the child does not outlive this process: a guard process kills the registered children once its input ends. */
export function endWithThisProcess(child: ChildProcess): void {
  if (child.pid === undefined) return;
  const ended = new Promise<void>((resolve) =>
    child.once('exit', () => {
      resolve();
    }),
  );
  endPidWithThisProcess(child.pid, ended);
}

/** Like {@link endWithThisProcess}, for a process that another module spawned. @param ended resolves when it has ended */
export function endPidWithThisProcess(pid: number, ended: Promise<unknown>): void {
  if (!guard) {
    guard = spawn(process.execPath, [GUARD], { stdio: ['pipe', 'ignore', 'inherit'] });
    guard.unref();
    (guard.stdin as unknown as { unref(): void }).unref();
  }
  guard.stdin?.write(`+${pid}\n`);
  void ended.then(() => guard?.stdin?.write(`-${pid}\n`));
}
