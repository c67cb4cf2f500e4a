import { type ChildProcess, spawn } from 'node:child_process';
import { resolve } from 'node:path';

const GUARD = resolve('test/support/pid-guard.mjs');
let guard: ChildProcess | undefined;

/** Ensures that the child does not outlive this process: a guard process kills the registered children once its input ends. */
export function endWithThisProcess(child: ChildProcess): void {
  if (child.pid === undefined) return;
  if (!guard) {
    guard = spawn(process.execPath, [GUARD], { stdio: ['pipe', 'ignore', 'inherit'] });
    guard.unref();
    (guard.stdin as unknown as { unref(): void }).unref();
  }
  const { pid } = child;
  guard.stdin?.write(`+${pid}\n`);
  child.once('exit', () => guard?.stdin?.write(`-${pid}\n`));
}
