// Guards a test's data folder: when the test process ends for any reason, it stops what still runs on the folder and removes the folder.
import { readFileSync, rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { join } from 'node:path';

const [folder] = process.argv.slice(2);
const pidIn = (file) => {
  try {
    return Number(readFileSync(join(folder, file), 'utf8').split('\n')[0]);
  } catch {
    return 0;
  }
};
const alive = (pid) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

process.stdin.resume();
process.stdin.on('end', async () => {
  for (const [file, signal] of [
    ['holder', 'SIGKILL'],
    ['postgres/postmaster.pid', 'SIGQUIT'],
  ]) {
    const pid = pidIn(file);
    if (pid > 1 && alive(pid)) process.kill(pid, signal);
    while (pid > 1 && alive(pid)) await delay(20);
  }
  rmSync(folder, { recursive: true, force: true });
});
