import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { until } from '../until.js';

/** What a process has of the machine. */
export interface Footprint {
  readonly bytes: number;
  /** Files and sockets; 0 where the system does not tell. */
  readonly handles: number;
}

const MEBIBYTE = 1024 * 1024;
/** What a collector leaves lying about between two looks; a leak of every round's input soon is more. */
const SLACK_BYTES = 48 * MEBIBYTE;
const SLACK_HANDLES = 8;

export function footprintOf(pid: number): Footprint {
  const status = `/proc/${pid}/status`;
  if (!existsSync(status))
    return { bytes: Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) * 1024, handles: 0 };
  // Without pages of files: the log's belong to the system's cache.
  const [, kibibytes] = /^RssAnon:\s+(\d+) kB/m.exec(readFileSync(status, 'utf8')) ?? [];
  return { bytes: Number(kibibytes) * 1024, handles: readdirSync(`/proc/${pid}/fd`).length };
}

/** The most that it has after any of so many rounds: what is garbage by then is garbage in later rounds, too. */
export async function mostAfter(pid: number, rounds: number, round: () => Promise<unknown>): Promise<Footprint> {
  let most = footprintOf(pid);
  for (let done = 0; done < rounds; done += 1) {
    await round();
    const now = footprintOf(pid);
    most = { bytes: Math.max(most.bytes, now.bytes), handles: Math.max(most.handles, now.handles) };
  }
  return most;
}

/**
 * Waits until the process is as small as it was; a test's own limit ends the waiting for one that never is.
 * @param nudge something for it to do, so that its collector finds occasion
 */
export async function shrunkTo(pid: number, before: Footprint, nudge: () => Promise<unknown>): Promise<Footprint> {
  return await until(async () => {
    await nudge();
    const now = footprintOf(pid);
    return now.bytes <= before.bytes + SLACK_BYTES && now.handles <= before.handles + SLACK_HANDLES && now;
  });
}

export function inMebibytes({ bytes }: Footprint): number {
  return Math.round(bytes / MEBIBYTE);
}
