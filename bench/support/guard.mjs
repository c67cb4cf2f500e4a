// Cleans up after a run. When the run ends for any reason, the guard stops the processes of the run by their pids and removes its folder.
import { readFileSync, readdirSync, rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { join } from 'node:path';

const SHUTDOWN_TIMEOUT_MS = 30_000;
const POLL_MS = 50;
const [root] = process.argv.slice(2);
const started = new Map();

function alive(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function signal(pid, name) {
  try {
    process.kill(pid, name);
  } catch {
    // The process has ended meanwhile.
  }
}

async function end([pid, name]) {
  signal(pid, name);
  for (let waited = 0; alive(pid); waited += POLL_MS) {
    if (waited >= SHUTDOWN_TIMEOUT_MS) signal(pid, 'SIGKILL');
    await delay(POLL_MS);
  }
}

/** Returns the pids of database servers whose parent process was killed. */
function orphans() {
  return readdirSync(root, { recursive: true })
    .filter((path) => path.endsWith('postmaster.pid'))
    .map((path) => Number(readFileSync(join(root, path), 'utf8').split('\n')[0]))
    .filter((pid) => pid > 1 && alive(pid));
}

for await (const line of createInterface({ input: process.stdin })) {
  const [, sign, pid, name] = /^([+-])(\d+) ?(\w*)$/.exec(line) ?? [];
  if (sign === '+') started.set(Number(pid), name);
  else started.delete(Number(pid));
}
await Promise.all([...started].map(end));
try {
  await Promise.all(orphans().map((pid) => end([pid, 'SIGQUIT'])));
} catch {
  // The folder is already removed.
}
rmSync(root, { recursive: true, force: true });
