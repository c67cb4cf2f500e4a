import { type Progress } from '../../platform/projecting/rebuilding/shadow.js';

/** The progress of a job as administrators see it. */
export interface JobProgress {
  /** Number of events that the job has read. */
  readonly done: number;
  /** Number of events that it has to read, estimated from the position in the log; null before the first event. */
  readonly total: number | null;
  /** Events per second since the job began. */
  readonly rate: number;
  /** Estimate for reading the rest of the log, in whole seconds; null before the first event. */
  readonly seconds_left: number | null;
}

export const NO_PROGRESS: JobProgress = { done: 0, total: null, rate: 0, seconds_left: null };

/** Describes the progress after `elapsedMs`, on the assumption that the rest of the log is like the part that has been read. */
export function jobProgress({ events, position, target }: Progress, elapsedMs: number): JobProgress {
  const rate = Math.round((events * 1_000) / Math.max(1, elapsedMs));
  if (position >= target) return { done: events, total: events, rate, seconds_left: 0 };
  if (position <= 0n) return { done: events, total: null, rate, seconds_left: null };
  const share = Number(position) / Number(target);
  return {
    done: events,
    total: Math.max(events, Math.round(events / share)),
    rate,
    seconds_left: Math.ceil((elapsedMs / 1_000) * (1 / share - 1)),
  };
}
