// Reads the lines "+pid" and "-pid". When its input ends, because the writing process ended, it kills all processes that are still listed.
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
    // The process has already ended.
  }
}
