import { availableParallelism, loadavg } from 'node:os';
import { cpuSecondsOf, machineTime, type MachineTime } from './proc.js';

/** Processor time during a measurement that the benchmark did not use. */
export interface Noise {
  /** Share of all cores that other programs used, 0 to 1. */
  readonly others: number;
  /** Share of all cores that the hypervisor gave to other machines, 0 to 1. */
  readonly stolen: number;
  /** How often the measurement was repeated because it was disturbed; undefined if it is never repeated. */
  readonly repetitions?: number;
}

const BUSY = { others: 0.05, stolen: 0.02, loadPerCore: 0.5 };

/** Returns the load average of the last minute per core. */
export function loadPerCore(): number {
  return (loadavg()[0] ?? 0) / availableParallelism();
}

/** Starts to watch. The returned function ends that and returns the noise, or undefined if the system does not report it. */
export function watchNoise(): () => Noise | undefined {
  const before = snapshot();
  return () => {
    const after = snapshot();
    return before && after ? noiseBetween(before, after) : undefined;
  };
}

export interface Snapshot extends MachineTime {
  /** Processor time of this process and its descendants. */
  readonly ownSeconds: number;
}

export function noiseBetween(before: Snapshot, after: Snapshot): Noise {
  const total = after.totalSeconds - before.totalSeconds;
  if (total <= 0) return { others: 0, stolen: 0 };
  const busy = after.busySeconds - before.busySeconds;
  const own = after.ownSeconds - before.ownSeconds;
  // Processes that start and end between two samples can make our own time exceed the busy time.
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
