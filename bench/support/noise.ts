import { availableParallelism, loadavg } from 'node:os';
import { cpuSecondsOf, machineTime, type MachineTime } from './proc.js';

/** How much of the machine was somebody else's. */
export interface Noise {
  /** Shares of all cores, 0 to 1. */
  readonly others: number;
  readonly stolen: number;
  /** How often it was measured before and disturbed, where that was looked at. */
  readonly again?: number;
}

const BUSY = { others: 0.05, stolen: 0.02, loadPerCore: 0.5 };

/** The load average of the last minute, per core, as a run finds it. */
export function loadPerCore(): number {
  return (loadavg()[0] ?? 0) / availableParallelism();
}

/** Begins to watch; the answer ends it. undefined where the system does not tell. */
export function watchNoise(): () => Noise | undefined {
  const before = snapshot();
  return () => {
    const after = snapshot();
    return before && after ? noiseBetween(before, after) : undefined;
  };
}

export interface Snapshot extends MachineTime {
  /** Of this process and all that it has started. */
  readonly ownSeconds: number;
}

export function noiseBetween(before: Snapshot, after: Snapshot): Noise {
  const total = after.totalSeconds - before.totalSeconds;
  if (total <= 0) return { others: 0, stolen: 0 };
  const busy = after.busySeconds - before.busySeconds;
  const own = after.ownSeconds - before.ownSeconds;
  // What was started by somebody and ended unseen may make the sum of our own larger than the whole.
  return { others: Math.max(0, busy - own) / total, stolen: (after.stolenSeconds - before.stolenSeconds) / total };
}

export function isBusy({ others, stolen }: Noise): boolean {
  return others > BUSY.others || stolen > BUSY.stolen;
}

export function isLoaded(load: number): boolean {
  return load > BUSY.loadPerCore;
}

function snapshot(): Snapshot | undefined {
  const time = machineTime();
  return time && { ...time, ownSeconds: cpuSecondsOf(process.pid) };
}
