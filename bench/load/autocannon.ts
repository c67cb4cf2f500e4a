import autocannon from 'autocannon';
import { any, linesOf, reportAbout } from './drawn-calls.js';
import { type Load, type LoadResult } from './load-generator.js';

type Headers = Record<string, string>;

/** Runs autocannon in this process. It takes more of the machine than wrk, but equally much from both sides. */
export async function runAutocannon({ kind, url, keysFile, idsFile, connections, seconds }: Load): Promise<LoadResult> {
  const [keys, ids] = [linesOf(keysFile), linesOf(idsFile)];
  const setupRequest = (request: autocannon.Request): autocannon.Request => {
    const headers: Headers = { 'Content-Type': 'application/json', 'X-API-KEY': any(keys) };
    return { ...request, headers, body: kind === 'lookup' ? JSON.stringify({ rupa_id: any(ids) }) : JSON.stringify(reportAbout(any(ids))) };
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
