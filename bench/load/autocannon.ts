import autocannon from 'autocannon';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type Load, type LoadResult } from './load-generator.js';

type Headers = Record<string, string>;

/** Runs autocannon in this process. It takes more of the machine than wrk, but equally much from both sides. */
export async function runAutocannon({ kind, url, keysFile, idsFile, connections, seconds }: Load): Promise<LoadResult> {
  const [keys, ids] = [linesOf(keysFile), linesOf(idsFile)];
  const setupRequest = (request: autocannon.Request): autocannon.Request => {
    const headers: Headers = { 'Content-Type': 'application/json', 'X-API-KEY': any(keys) };
    return { ...request, headers, body: kind === 'lookup' ? JSON.stringify({ rupa_id: any(ids) }) : report(any(ids)) };
  };
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    timeout: 30,
    requests: [{ method: 'POST', path: `/v1/rupa/${kind}`, setupRequest }],
  });
  if (result.non2xx + result.errors > 0)
    throw new Error(`${result.non2xx} responses were not 2xx, and ${result.errors} requests failed or timed out.`);
  const count = result['2xx'];
  return {
    requests: count,
    seconds: result.duration,
    perSecond: count / result.duration,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    bytesPerResponse: result.throughput.total / count,
  };
}

/** Returns a request body like that of report.wrk.lua. */
function report(rupa_id: string): string {
  return JSON.stringify({
    rupa_id,
    event: 'loan_disbursed',
    amount: 150_000,
    currency: 'NGN',
    partner_reference: randomUUID(),
    occurred_at: '2026-03-02T09:00:00Z',
    payload: { tenor_months: 9, product: 'input loan' },
  });
}

function any(texts: readonly string[]): string {
  return texts[Math.floor(Math.random() * texts.length)] ?? '';
}

function linesOf(file: string): string[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
}
