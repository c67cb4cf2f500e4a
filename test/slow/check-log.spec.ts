import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { admin } from '../support/client.js';
import { type EvidenceWorld, startEvidenceWorld } from '../support/evidence-world.js';
import { type ProcessResult, run } from '../support/rupa.js';

const SCRIPT = resolve('docs/audit/check-log.sh');
const isCurlMissing = spawnSync('curl', ['--version']).error !== undefined;

describe('docs/audit/check-log.sh', () => {
  if (isCurlMissing) {
    it('is NOT TESTED here, because curl is not installed', () => {
      expect(isCurlMissing).toBe(true);
    });
    return;
  }

  let world: EvidenceWorld;
  let folder: string;
  beforeAll(async () => {
    world = await startEvidenceWorld();
    folder = mkdtempSync(join(tmpdir(), 'rupa-nightly-'));
  });
  afterAll(async () => {
    await world.service.stop();
    rmSync(folder, { recursive: true });
  });

  const check = (...args: string[]): Promise<ProcessResult> =>
    run('sh', [SCRIPT, ...args], { RUPA_URL: world.service.url, AUDITOR_TOKEN: world.service.auditorToken, NODE_OPTIONS: '' }, '', folder);
  const file = (name: string): string => readFileSync(join(folder, name), 'utf8');
  /** Runs the script as every night, again while a busy service does not serve it. */
  const nightly = async (): Promise<ProcessResult> => {
    for (;;) {
      const ended = await check(folder);
      if (!ended.err.includes('error: 503')) return ended;
    }
  };
  const HOLDS = { code: 0, out: '', err: '' };

  it('is silent while everything holds, and fetches each event once', async () => {
    // On a busy machine, a repeated call finds the checkpoint that the first one made.
    expect([200, 201]).toContain((await admin(world.administrator, 'POST', '/checkpoints', {})).status);
    expect(await nightly()).toStrictEqual(HOLDS);
    const first = file('evidence.jsonl');
    expect(await nightly()).toStrictEqual(HOLDS);
    expect(file('evidence.jsonl').startsWith(first)).toBe(true);
    expect((await world.evidence()).startsWith(file('evidence.jsonl'))).toBe(true);
    expect(file('summary.txt')).toContain('Trial balance, live');
    expect(readdirSync(folder).some((name) => name.startsWith('note-'))).toBe(true);
  });

  it('names the first event that does not hold, and keeps the file that did', async () => {
    const kept = file('evidence.jsonl');
    const lines = kept.split('\n');
    writeFileSync(join(folder, 'evidence.jsonl'), lines.with(4, lines[3] ?? '').join('\n'));
    expect(await nightly()).toMatchObject({ code: 1, out: '', err: expect.stringMatching(/^event 4: /) });
    writeFileSync(join(folder, 'evidence.jsonl'), kept);
    expect(await nightly()).toStrictEqual(HOLDS);
  });

  it('says so when the service publishes another key', async () => {
    const kept = file('keys.txt');
    writeFileSync(join(folder, 'keys.txt'), kept.replace('+', '-'));
    expect(await nightly()).toMatchObject({ code: 1, out: '', err: expect.stringContaining('publishes other keys') });
    writeFileSync(join(folder, 'keys.txt'), kept);
  });

  it('says so when the service does not respond, and goes on afterwards', async () => {
    const { code, err } = await run('sh', [SCRIPT, folder], { RUPA_URL: 'http://127.0.0.1:9', AUDITOR_TOKEN: 'x' }, '', folder);
    expect([code === 0, err]).toStrictEqual([false, expect.stringMatching(/^curl: /)]);
    expect(await nightly()).toStrictEqual(HOLDS);
  });

  it('asks for a folder', async () => {
    expect(await check()).toMatchObject({ code: 2, err: expect.stringContaining('Usage: ') });
  });
});
