import { processTree, threadsOf } from './proc.js';

/** Seconds of processor time so far, by part of a side. */
export type CpuParts = ReadonlyMap<string, number>;

/** Worker threads in the order in which the service starts them, which is the order of their numbers in Node and Linux. */
export const WORKERS = ['event store thread', 'background thread'];

/**
 * Returns the processor time of a side by part: each of its JavaScript threads, the helper threads of V8 and libuv (garbage collection,
 * compilation, file system), and PostgreSQL.
 */
export function cpuPartsOf(pid: number): CpuParts {
  const parts = new Map<string, number>();
  const add = (name: string, seconds: number): void => void parts.set(name, (parts.get(name) ?? 0) + seconds);
  const threads = [...threadsOf(pid)].sort(([one], [other]) => one - other);
  // On an event store of its own process, the service has the last of these threads only.
  const names = WORKERS.slice(threads.filter(([, { name }]) => name === 'WorkerThread').length === 1 ? -1 : 0);
  for (const [task, { name, cpuSeconds }] of threads) {
    if (task === pid) add('main thread', cpuSeconds);
    else if (name === 'WorkerThread') add(names.shift() ?? 'other threads', cpuSeconds);
    else add('V8 and libuv', cpuSeconds);
  }
  for (const each of processTree(pid)) if (each.pid !== pid) add('PostgreSQL', each.cpuSeconds);
  return parts;
}

/** Returns the processor time per request in µs, by part. */
export function cpuPerRequest(before: CpuParts, after: CpuParts, requests: number): Record<string, number> {
  return Object.fromEntries([...after].map(([name, seconds]) => [name, ((seconds - (before.get(name) ?? 0)) * 1_000_000) / requests]));
}

/** Describes the mean of all rounds by part, the largest part first. */
export function describeParts(rounds: readonly Readonly<Record<string, number>>[]): string {
  const names = [...new Set(rounds.flatMap((round) => Object.keys(round)))];
  const means = names.map((name) => [name, rounds.reduce((sum, round) => sum + (round[name] ?? 0), 0) / rounds.length] as const);
  return means
    .sort(([, one], [, other]) => other - one)
    .map(([name, micros]) => `${name} ${Math.round(micros)} µs`)
    .join(', ');
}
