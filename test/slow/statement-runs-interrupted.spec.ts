import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Manifest } from '../../src/contexts/accounting/domain/statements/statement-manifest.js';
import { startApplication } from '../support/application.js';
import { admin, makePartner } from '../support/client.js';
import { pastOf } from '../support/february.js';
import { type ProcessResult, rupa } from '../support/rupa.js';
import { type TestService } from '../support/service.js';
import { until } from '../support/until.js';
import { givenPast } from '../support/wallet-past.js';

const PARTNERS = 40;

let service: TestService;

beforeAll(async () => {
  service = await startApplication();
  for (let index = 0; index < PARTNERS; index += 1) {
    const { partner_id } = await makePartner(service, { credit: 0, company_name: `Bank ${index}` });
    await givenPast(service, pastOf(partner_id, [`a${index}`, `b${index}`]));
  }
  for (const month of ['2026-01', '2026-02']) expect((await admin(service, 'POST', `/ledger/periods/${month}/close`, {})).status).toBe(201);
});
afterAll(() => service.stop());

describe('rupa wallet statements', () => {
  let folder: string;

  beforeEach(() => {
    folder = join(mkdtempSync(join(tmpdir(), 'statements-')), 'february');
  });
  afterEach(() => {
    rmSync(join(folder, '..'), { recursive: true });
  });

  const args = (): string[] => ['wallet', 'statements', '2026-02', '--out', folder];
  const write = async (): Promise<ProcessResult> => await rupa(service, args());
  /** Returns how many statements an unfinished run has listed. The command renames the list when it has written all. */
  const listed = (): number => {
    try {
      return readFileSync(join(folder, 'manifest.json.part'), 'utf8').split('\n').length - 2;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
      throw error;
    }
  };
  /** Runs the command until it has listed some statements, and returns how many these are. A run that ended before the signal is repeated. */
  const interrupted = async (signal: NodeJS.Signals): Promise<number> => {
    const env = { ...process.env, DATA_DIR: service.dataDir, ...service.stores };
    for (;;) {
      const child = spawn(process.execPath, [resolve('dist/src/cli.js'), ...args()], { env, stdio: 'ignore' });
      const exited = once(child, 'exit');
      const before = await until(() => (child.exitCode === null ? listed() >= 3 && listed() : 'ended'));
      child.kill(signal);
      await exited;
      if (before !== 'ended' && !existsSync(join(folder, 'manifest.json'))) return before;
      rmSync(folder, { recursive: true });
    }
  };
  const expectAll = (): void => {
    const { statements } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as Manifest;
    expect(statements).toHaveLength(PARTNERS);
    expect(readdirSync(folder).sort()).toStrictEqual([...statements.map(({ file }) => file), 'manifest.json'].sort());
    const hashes = statements.map(({ file }) =>
      createHash('sha256')
        .update(readFileSync(join(folder, file)))
        .digest('hex'),
    );
    expect(hashes).toStrictEqual(statements.map(({ sha256 }) => sha256));
  };

  it.each(['SIGINT', 'SIGKILL'] as const)('continues where it was ended by %s', async (signal) => {
    const before = await interrupted(signal);
    const { code, out } = await write();
    expect(code).toBe(0);
    const [, written, kept] = /(\d+) were written, (\d+) kept/.exec(out) ?? [];
    expect(Number(kept)).toBeGreaterThanOrEqual(before);
    expect(Number(written) + Number(kept)).toBe(PARTNERS);
    expectAll();
  });

  it('continues after a file that could not be written, whose name it says', async () => {
    const inTheWay = join(folder, 'RUPA-202602-1006.pdf');
    mkdirSync(inTheWay, { recursive: true });
    const { code, err } = await write();
    expect([code, err]).toStrictEqual([1, expect.stringContaining(`${inTheWay} cannot be written: it is a folder or a device.`)]);
    const before = listed();
    rmdirSync(inTheWay);
    expect((await write()).out).toContain(`${PARTNERS - before} were written, ${before} kept`);
    expectAll();
  });
});
