import { type ChildProcess, spawn } from 'node:child_process';
import { resolve } from 'node:path';

const GUARD = resolve('test/support/pid-guard.mjs');
let guard: ChildProcess | undefined;

/** The child does not outlive this process, however this one ends: a guard kills what it was told of once its input ends. */
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
