import { type LoadResult } from './load-generator.js';

const MS: Readonly<Record<string, number>> = { us: 0.001, ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };
const BYTES: Readonly<Record<string, number>> = { B: 1, KB: 1_024, MB: 1_024 ** 2, GB: 1_024 ** 3, TB: 1_024 ** 4 };

/** Parses the output of `wrk --latency`. @throws Error if it reports errors or statuses other than 2xx and 3xx, or is not understood. */
export function parseWrk(text: string): LoadResult {
  const [, requests, duration, unit, size, sizeUnit] = find(text, /(\d+) requests in ([\d.]+)(us|ms|s|m|h), ([\d.]+)([KMGT]?B) read/);
  const not2xx = /Non-2xx or 3xx responses: (\d+)/.exec(text)?.[1];
  if (not2xx !== undefined) throw new Error(`${not2xx} of ${requests ?? ''} responses were not 2xx or 3xx.`);
  const errors = /Socket errors: (.+)/.exec(text)?.[1];
  if (errors !== undefined) throw new Error(`wrk had errors: ${errors}.`);
  const seconds = (Number(duration) * (MS[unit ?? ''] ?? NaN)) / 1_000;
  const count = Number(requests);
  if (count === 0) throw new Error('wrk got no response.');
  return {
    requests: count,
    seconds,
    perSecond: count / seconds,
    p50Ms: latency(text, '50'),
    p99Ms: latency(text, '99'),
    bytesPerResponse: (Number(size) * (BYTES[sizeUnit ?? ''] ?? NaN)) / count,
  };
}

function latency(text: string, percent: string): number {
  const [, value, unit] = find(text, new RegExp(`^\\s+${percent}%\\s+([\\d.]+)(us|ms|s|m|h)\\s*$`, 'm'));
  return Number(value) * (MS[unit ?? ''] ?? NaN);
}

function find(text: string, pattern: RegExp): RegExpExecArray {
  const found = pattern.exec(text);
  if (!found) throw new Error(`The output of wrk is not understood:\n${text}`);
  return found;
}
