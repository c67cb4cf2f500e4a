import { SingleBar } from 'cli-progress';
import { type Progress } from '../../platform/projecting/rebuilding/shadow.js';
import { printError } from './output.js';

const LINE_EVERY_MS = 5_000;

export interface LogBar {
  readonly show: (progress: Progress) => void;
  readonly stop: () => void;
}

/** Shows how much of the log has been read: on a terminal a bar with events, rate and time left, otherwise a line every few seconds. */
export function logBar(what: string): LogBar {
  const began = Date.now();
  const rate = (events: number): number => Math.round((events * 1_000) / Math.max(1, Date.now() - began));
  if (!process.stderr.isTTY) {
    let lastLineAt = began;
    const show = ({ events, position, target }: Progress): void => {
      if (Date.now() - lastLineAt < LINE_EVERY_MS) return;
      lastLineAt = Date.now();
      printError(`${what}: ${percent(position, target)} %, ${events} events (${rate(events)}/s)`);
    };
    return { show, stop: () => undefined };
  }
  const bar = new SingleBar({
    format: `${what} {bar} {percentage}% | {events} events | {rate} events/s | {left}`,
    stream: process.stderr,
    hideCursor: true,
  });
  bar.start(100, 0, { events: 0, rate: 0, left: '' });
  const show = ({ events, position, target }: Progress): void => {
    bar.update(percent(position, target), { events, rate: rate(events), left: left(position, target, Date.now() - began) });
  };
  return {
    show,
    stop: () => {
      bar.stop();
    },
  };
}

/**
 * Returns the progress in percent, rounded down, so that 100 means that the end the log had at the beginning is reached. Events that were
 * appended since lie behind the target, and the percentage stays 100 while they are read.
 */
export function percent(position: bigint, target: bigint): number {
  if (position >= target) return 100;
  return position <= 0n ? 0 : Number((position * 100n) / target);
}

/** Estimates the time left, on the assumption that the rest is as fast as the part that is done. */
export function left(position: bigint, target: bigint, elapsedMs: number): string {
  if (position <= 0n || position >= target) return '';
  const seconds = Math.ceil((Number(target - position) / Number(position)) * (elapsedMs / 1_000));
  return seconds < 120 ? `${seconds} s left` : `${Math.ceil(seconds / 60)} min left`;
}
