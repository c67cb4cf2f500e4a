import { failure, type Finding, ok, warning } from './finding.js';

const WARNING_MS = 1_000;
const FAILURE_MS = 30_000;

/** Judges the difference between two clocks. @param found what was found, as a part of a sentence */
export function clockFinding(check: string, found: string, skewMs: number): Finding {
  const todo = 'Synchronise the clocks of both hosts with NTP.';
  if (Math.abs(skewMs) >= FAILURE_MS) return failure(check, found, todo);
  return Math.abs(skewMs) >= WARNING_MS ? warning(check, found, todo) : ok(check, found);
}
