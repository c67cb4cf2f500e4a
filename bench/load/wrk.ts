import { resolve } from 'node:path';
import { type CleanUp } from '../support/clean-up.js';
import { run } from '../support/child-programs.js';
import { type Load, type LoadResult } from './load-generator.js';
import { parseWrk } from './parse-wrk.js';

const SCRIPTS = { lookup: resolve('bench/peers/crud-lookup/lookup.wrk.lua'), report: resolve('bench/peers/crud-report/report.wrk.lua') };

export async function runWrk(cleanUp: CleanUp, { kind, url, keysFile, idsFile, connections, seconds }: Load): Promise<LoadResult> {
  // One thread sends several times as many requests as any side can serve, and leaves the other cores to that side.
  const args = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '30s', '--latency', '-s', SCRIPTS[kind], url];
  return parseWrk(await run(cleanUp, 'wrk', args, { env: { KEYS_FILE: keysFile, IDS_FILE: idsFile } }));
}
