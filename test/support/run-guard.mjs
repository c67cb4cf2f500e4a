// Guards a run of Jest. The tests create their temporary folders in one folder, and every process that they start has that folder in its
// environment, its arguments or as its working directory. When Jest's process ends for any reason, this process ends what is left of the
// run and removes the folder. It also ends Jest when the npm that started it was killed, because nobody reads the result any more.
// Arguments: the folder, the id of Jest's process, and the ids of the processes without which Jest must not go on.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { clearInterval, setInterval } from 'node:timers';
import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 50;
const WATCH_EVERY_MS = 250;
/** PostgreSQL removes its shared memory when it is told to end at once, but not when it is killed. */
const POSTGRES_MAY_TAKE_MS = 10_000;

const [folder, jest, ...needed] = process.argv.slice(2);

const read = (pid, name) => {
  try {
    return name === 'cwd' ? readlinkSync(`/proc/${pid}/cwd`) : readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    // The process has ended, or the system has no /proc; there, the processes end with their standard input.
    return '';
  }
};
const isZombie = (pid) => /^State:\s+Z/m.test(read(pid, 'status'));

function processesOfTheRun() {
  const pids = readable('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  return pids.filter((pid) => ['cwd', 'cmdline', 'environ'].some((name) => read(pid, name).includes(folder)) && !isZombie(pid)).map(Number);
}

function readable(path) {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

function signal(pid, name) {
  try {
    process.kill(pid, name);
  } catch {
    // The process has already ended.
  }
}

/** Ends the processes until none is found: one may have started another while the others were read. */
async function endProcesses() {
  for (const startedAt = performance.now(); ;) {
    const found = processesOfTheRun();
    if (found.length === 0) return;
    const mayBeKilled = performance.now() - startedAt > POSTGRES_MAY_TAKE_MS;
    for (const pid of found) {
      const isPostgres = read(pid, 'comm').trim() === 'postgres';
      signal(pid, isPostgres && !mayBeKilled ? 'SIGQUIT' : 'SIGKILL');
      // A test may have frozen the process.
      if (isPostgres) signal(pid, 'SIGCONT');
    }
    await delay(POLL_MS);
  }
}

function removeFolder() {
  const mounted = read('self', 'mounts')
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '')
    .filter((path) => path.startsWith(`${folder}/`));
  for (const path of mounted.toReversed()) spawnSync('umount', ['-l', path]);
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
}

const watching = setInterval(() => {
  if (needed.some((pid) => read(pid, 'stat') === '' || isZombie(pid))) signal(Number(jest), 'SIGKILL');
}, WATCH_EVERY_MS);
process.stdin.resume();
process.stdin.on('end', async () => {
  clearInterval(watching);
  await endProcesses();
  removeFolder();
});
