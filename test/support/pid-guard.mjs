// Told "+pid" and "-pid" line by line; kills whoever is left once its input ends, as it does when the process that tells it does.
import { createInterface } from 'node:readline';

const pids = new Set();
for await (const line of createInterface(process.stdin)) {
  const pid = Number(line.slice(1));
  if (line.startsWith('+')) pids.add(pid);
  else pids.delete(pid);
}
for (const pid of pids) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}
