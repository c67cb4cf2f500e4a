import { type Finding } from '../../cli/runtime.js';

export { type Finding };

export const ok = (check: string, found: string): Finding => ({ check, status: 'ok', found });
export const warning = (check: string, found: string, todo: string): Finding => ({ check, status: 'warning', found, todo });
export const failure = (check: string, found: string, todo: string): Finding => ({ check, status: 'failure', found, todo });

/** Runs a check and turns an error into a failure: a check that cannot run has failed. */
export async function attempt(check: string, todo: string, work: () => Promise<Finding | readonly Finding[]>): Promise<readonly Finding[]> {
  try {
    return [await work()].flat();
  } catch (error) {
    return [failure(check, reasonOf(error), todo)];
  }
}

/** Returns the message of an error. Node throws an AggregateError without a message when every address of a name refuses the connection. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}

const WARNING_MS = 1_000;
const FAILURE_MS = 30_000;

/** Judges the difference between two clocks. @param found what was found, as a part of a sentence */
export function clockFinding(check: string, found: string, skewMs: number): Finding {
  const todo = 'Synchronise the clocks of both hosts with NTP.';
  if (Math.abs(skewMs) >= FAILURE_MS) return failure(check, found, todo);
  return Math.abs(skewMs) >= WARNING_MS ? warning(check, found, todo) : ok(check, found);
}
