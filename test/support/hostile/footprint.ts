import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { until } from '../until.js';

/** The resources that a process uses. */
export interface Footprint {
  readonly bytes: number;
  /** Open files and sockets; 0 where the system does not report them. */
  readonly handles: number;
}

const MEBIBYTE = 1024 * 1024;
/** Garbage that may remain between two measurements; a leak of every round's input soon exceeds it. */
const SLACK_BYTES = 48 * MEBIBYTE;
const SLACK_HANDLES = 8;

export function footprintOf(pid: number): Footprint {
  const status = `/proc/${pid}/status`;
  if (!existsSync(status))
    return { bytes: Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) * 1024, handles: 0 };
  // File-backed pages are left out: those of the log belong to the system's page cache.
  const [, kibibytes] = /^RssAnon:\s+(\d+) kB/m.exec(readFileSync(status, 'utf8')) ?? [];
  return { bytes: Number(kibibytes) * 1024, handles: readdirSync(`/proc/${pid}/fd`).length };
}

/** Returns the peak usage after any of the rounds. The peak includes garbage, because later measurements include garbage, too. */
export async function peakFootprint(pid: number, rounds: number, round: () => Promise<unknown>): Promise<Footprint> {
  let most = footprintOf(pid);
  for (let done = 0; done < rounds; done += 1) {
    await round();
    const now = footprintOf(pid);
    most = { bytes: Math.max(most.bytes, now.bytes), handles: Math.max(most.handles, now.handles) };
  }
  return most;
}

/**
 * Waits until the process uses as little as before; the test's own timeout ends the wait.
 * @param nudge work for the process that gives its garbage collector an occasion to run
 */
export async function untilShrunk(pid: number, before: Footprint, nudge: () => Promise<unknown>): Promise<Footprint> {
  return await until(async () => {
    await nudge();
    const now = footprintOf(pid);
    return now.bytes <= before.bytes + SLACK_BYTES && now.handles <= before.handles + SLACK_HANDLES && now;
  });
}

export function inMebibytes({ bytes }: Footprint): number {
  return Math.round(bytes / MEBIBYTE);
}
