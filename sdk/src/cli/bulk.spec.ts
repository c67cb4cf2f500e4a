import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { failure, ok } from '../../../test/support/unit/scripted-fetch.js';
import { run } from './run.js';
import { type Terminal } from './terminal.js';

const FEES = {
  'svc_fee.identity': 50,
  'svc_fee.bvn_nin_data': 50,
  'svc_fee.credit_history': 100,
  'passthrough.bvn': 60,
  'passthrough.nin': 60,
  'passthrough.credit_bureau': 500,
};
const ENV = { RUPA_API_KEY: 'rupa_key_secret', RUPA_URL: 'https://api.example' };

let folder = mkdtempSync(join(tmpdir(), 'rupa-bulk-'));
beforeEach(() => {
  rmSync(folder, { recursive: true });
  folder = mkdtempSync(join(tmpdir(), 'rupa-bulk-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const fileOf = (name: string, content: string): string => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};
const out = (): string => join(folder, 'results.jsonl');
const linesOf = (): Record<string, unknown>[] =>
  readFileSync(out(), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
const idFile = (count: number): string =>
  fileOf('ids.csv', `name,rupa_id\n${Array.from({ length: count }, (_, index) => `"A, ""B""",rp-${index}\n`).join('')}`);

/** A small service that charges NGN 50 for each farmer, once for each key. `before` may fail a call, before or after it is executed. */
function service() {
  const stored = new Map<string, { body: string; data: object }>();
  const calls: string[] = [];
  let [charged, recorded] = [0, 0];
  let fails: ((calls: number, isExecuted: boolean) => Response | Error | undefined) | undefined;
  const execute = (path: string, body: { rupa_ids?: string[]; reports?: { rupa_id?: string }[] }): object => {
    if (path.endsWith('/lookups')) {
      const results = (body.rupa_ids ?? []).map((rupa_id) => ({ rupa_id, outcome: 'found' }));
      charged += results.length * 50;
      return { results, summary: { requested: results.length, amount_charged: results.length * 50, wallet_balance: 9_000 } };
    }
    recorded += (body.reports ?? []).length;
    const results = (body.reports ?? []).map(({ rupa_id }, index) =>
      rupa_id === 'rp-0' ? { index, outcome: 'refused' } : { index, outcome: 'created' },
    );
    return { results, summary: {} };
  };
  const serve = ((url: string, init: RequestInit) => {
    const { pathname } = new URL(url);
    if (pathname.endsWith('/me')) return Promise.resolve(ok({ company_name: 'Test Bank', mode: 'sandbox', wallet_balance: 10_000 }));
    if (pathname.endsWith('/prices'))
      return Promise.resolve(ok({ fees: FEES, lookup: { sections: ['identity', 'bvn_nin_data', 'credit_history'] } }));
    const [key, body] = [new Headers(init.headers).get('Idempotency-Key') ?? '', init.body as string];
    calls.push(key);
    const answer = (isExecuted: boolean): Promise<Response> | undefined => {
      const failed = fails?.(calls.length, isExecuted);
      return failed instanceof Error ? Promise.reject(failed) : failed && Promise.resolve(failed);
    };
    const early = answer(false);
    if (early) return early;
    const known = stored.get(key);
    if (known && known.body !== body) return Promise.resolve(failure(422, 'idempotency_key_reused'));
    const data = known?.data ?? execute(pathname, JSON.parse(body) as object);
    stored.set(key, { body, data });
    return answer(true) ?? Promise.resolve(ok(data));
  }) as typeof globalThis.fetch;
  return {
    serve,
    calls,
    charged: () => charged,
    recorded: () => recorded,
    failing: (how: typeof fails) => {
      fails = how;
    },
  };
}

async function runWith(args: readonly string[], { serve }: Pick<ReturnType<typeof service>, 'serve'>, more: Partial<Terminal> = {}) {
  const [printed, err]: [string[], string[]] = [[], []];
  const terminal = {
    env: ENV,
    fetch: serve,
    signal: new AbortController().signal,
    print: (line: string) => void printed.push(line),
    ...more,
  };
  const code = await run(args, terminal, (line) => void err.push(line));
  return { code, out: printed.join('\n'), err: err.join('\n') };
}

describe('lookup of a file', () => {
  it('shows the price, looks up every id, and writes a line for each', async () => {
    const bank = service();
    const { code, out: printed } = await runWith(['lookup', idFile(250), '--out', out(), '--sections', 'identity', '--yes'], bank);
    expect(code).toBe(0);
    expect(printed.split('\n')).toStrictEqual([
      '250 lookups cost at most NGN 50.00 each, NGN 12,500.00 together; farmers that nobody has are free. Your balance is NGN 10,000.00.',
      'The balance may not be enough for all of them. The run then stops, and continues after a top-up.',
      '100 of 250 (40 %): 100 found, charged NGN 5,000.00, balance NGN 9,000.00',
      '200 of 250 (80 %): 200 found, charged NGN 10,000.00, balance NGN 9,000.00',
      '250 of 250 (100 %): 250 found, charged NGN 12,500.00, balance NGN 9,000.00',
      'Done: 250 (this run: 250 found, charged NGN 12,500.00, balance NGN 9,000.00)',
    ]);
    expect(linesOf().map(({ item, rupa_id }) => [item, rupa_id])).toStrictEqual(
      Array.from({ length: 250 }, (_, index) => [index + 1, `rp-${index}`]),
    );
    const again = await runWith(['lookup', idFile(250), '--out', out(), '--sections', 'identity', '--yes'], bank);
    expect(again).toMatchObject({ code: 0, out: expect.stringContaining('is complete already') });
    expect(bank.charged()).toBe(12_500);
  });

  it('counts the pass-through fees of the sections that the account may read', async () => {
    const { out: printed } = await runWith(['lookup', idFile(2), '--out', out(), '--yes'], service());
    expect(printed).toContain('2 lookups cost at most NGN 820.00 each, NGN 1,640.00 together');
  });

  it('asks before it starts, and looks up nothing without a yes', async () => {
    const bank = service();
    const ask = (said: string) => ({ ask: () => Promise.resolve(said) });
    expect(await runWith(['lookup', idFile(1), '--out', out()], bank, ask(''))).toMatchObject({
      code: 1,
      out: expect.stringContaining('Nothing was looked up.'),
    });
    expect(await runWith(['lookup', idFile(1), '--out', out()], bank)).toMatchObject({
      code: 2,
      err: expect.stringContaining('add --yes'),
    });
    expect([bank.calls, existsSync(out())]).toStrictEqual([[], false]);
    expect((await runWith(['lookup', idFile(1), '--out', out()], bank, ask('y'))).code).toBe(0);
    expect(linesOf()).toHaveLength(1);
  });

  it('shows a bar in a terminal', async () => {
    const shown: string[] = [];
    const terminal = { showProgress: (text: string) => void shown.push(text), endProgress: () => void shown.push('end') };
    await runWith(['lookup', idFile(200), '--out', out(), '--yes'], service(), terminal);
    expect(shown).toStrictEqual([
      '[############............] 50 % 100/200  100 found, charged NGN 5,000.00, balance NGN 9,000.00',
      '[########################] 100 % 200/200  200 found, charged NGN 10,000.00, balance NGN 9,000.00',
      'end',
    ]);
  });

  it('continues after a response that was lost, with the same key and without a second charge', async () => {
    const bank = service();
    const args = ['lookup', idFile(300), '--out', out(), '--yes'];
    bank.failing((calls, isExecuted) => (calls === 2 && isExecuted ? failure(402, 'insufficient_balance') : undefined));
    expect(await runWith(args, bank)).toMatchObject({
      code: 1,
      out: expect.stringContaining('Stopped after 100 of 300. Repeat the command'),
    });
    expect(linesOf()).toHaveLength(100);
    bank.failing(undefined);
    expect(await runWith(args, bank)).toMatchObject({ code: 0, out: expect.stringContaining('Continuing after 100.') });
    expect(linesOf().map(({ rupa_id }) => rupa_id)).toStrictEqual(Array.from({ length: 300 }, (_, index) => `rp-${index}`));
    expect([bank.charged(), new Set(bank.calls).size, bank.calls.length]).toStrictEqual([15_000, 3, 4]);
  });

  it('cuts off what was written before the state said so', async () => {
    const bank = service();
    const args = ['lookup', idFile(200), '--out', out(), '--yes'];
    bank.failing((calls) => (calls === 2 ? failure(401, 'api_key_invalid') : undefined));
    expect((await runWith(args, bank)).code).toBe(1);
    writeFileSync(out(), `${readFileSync(out(), 'utf8')}{"item":101,"rupa_id":"rp-1`);
    bank.failing(undefined);
    expect((await runWith(args, bank)).code).toBe(0);
    expect(linesOf().map(({ item }) => item)).toStrictEqual(Array.from({ length: 200 }, (_, index) => index + 1));
  });

  it('refuses to continue with another input, other options or an output that exists', async () => {
    const bank = service();
    const args = ['lookup', idFile(200), '--out', out(), '--yes'];
    bank.failing((calls) => (calls === 2 ? failure(401, 'api_key_invalid') : undefined));
    await runWith(args, bank);
    const other = expect.stringContaining('is of a run with another input or other options');
    expect(await runWith([...args, '--source', 'audit'], bank)).toMatchObject({ code: 2, err: other });
    idFile(201);
    expect(await runWith(args, bank)).toMatchObject({ code: 2, err: other });
    rmSync(`${out()}.state.json`);
    expect(await runWith(args, bank)).toMatchObject({ code: 2, err: expect.stringContaining('exists already') });
    expect(bank.calls).toHaveLength(2);
  });

  it('refuses to send a chunk again whose key has expired, unless it is told to', async () => {
    const bank = service();
    const args = ['lookup', idFile(100), '--out', out(), '--yes'];
    bank.failing((calls) => (calls === 1 ? failure(401, 'api_key_invalid') : undefined));
    await runWith(args, bank);
    const state = JSON.parse(readFileSync(`${out()}.state.json`, 'utf8')) as { sending_since: string };
    const since = new Date(Date.parse(state.sending_since) - 86_400_000).toISOString();
    writeFileSync(`${out()}.state.json`, JSON.stringify({ ...state, sending_since: since }));
    expect(await runWith(args, bank)).toMatchObject({ code: 2, err: expect.stringContaining('add --send-again') });
    expect((await runWith([...args, '--send-again'], bank)).code).toBe(0);
    expect(new Set(bank.calls).size).toBe(2);
  });

  it.each([
    ['', 'The file has no items.'],
    ['rupa_id\nrp 1\n', 'row 2 has "rp 1" where a Rupa ID'],
  ])('refuses a file with %j before it sends anything', async (content, message) => {
    const bank = service();
    const result = await runWith(['lookup', fileOf('bad.csv', content), '--out', out(), '--yes'], bank);
    expect(result).toMatchObject({ code: 2, err: expect.stringContaining(message) });
    expect([bank.calls, existsSync(out())]).toStrictEqual([[], false]);
  });

  it('takes a file of ids alone, also with a byte order mark and Windows line ends', async () => {
    expect((await runWith(['lookup', fileOf('ids.csv', '\ufeffrp-1\r\nrp-2\r\n'), '--out', out(), '--yes'], service())).code).toBe(0);
    expect(linesOf().map(({ rupa_id }) => rupa_id)).toStrictEqual(['rp-1', 'rp-2']);
  });

  it('says which file cannot be written, and sends nothing', async () => {
    const bank = service();
    const nowhere = join(folder, 'nowhere', 'results.jsonl');
    expect(await runWith(['lookup', idFile(1), '--out', nowhere, '--yes'], bank)).toStrictEqual({
      code: 1,
      out: '',
      err: expect.stringMatching(/^ENOENT: no such file or directory, open '.*nowhere\/results\.jsonl\.state\.json'$/),
    });
    expect(bank.calls).toHaveLength(0);
  });

  it('says what is missing', async () => {
    expect(await runWith(['lookup', 'nowhere.csv'], service())).toMatchObject({
      code: 2,
      err: expect.stringContaining('nowhere.csv is no file'),
    });
    expect(await runWith(['lookup', idFile(1)], service())).toMatchObject({ code: 2, err: expect.stringContaining('--out results.jsonl') });
  });
});

describe('report of a file', () => {
  const sentBy = async (file: string): Promise<unknown[]> => {
    const bodies: unknown[] = [];
    const { serve } = service();
    const fetch = ((url: string, init: RequestInit) => {
      if (url.endsWith('/reports')) bodies.push(...(JSON.parse(init.body as string) as { reports: unknown[] }).reports);
      return serve(url, init);
    }) as typeof globalThis.fetch;
    await runWith(['report', file, '--out', out()], { serve: fetch });
    return bodies;
  };

  it('sends the columns of a CSV file as the fields of reports', async () => {
    const csv =
      'rupa_id;event;amount;partner_reference;payload.item;payload\nrp-1;loan_repayment;12.50;R-1;;"{""a"": 1}"\nrp-2;loan_repayment;x;;maize;\n';
    expect(await sentBy(fileOf('reports.csv', csv))).toStrictEqual([
      { rupa_id: 'rp-1', event: 'loan_repayment', amount: 12.5, partner_reference: 'R-1', payload: { a: 1 } },
      { rupa_id: 'rp-2', event: 'loan_repayment', amount: 'x', payload: { item: 'maize' } },
    ]);
  });

  it('sends JSON lines as they are, and returns 1 if one is refused', async () => {
    const bank = service();
    const file = fileOf('reports.jsonl', '{"rupa_id":"rp-1"}\n\n{"rupa_id":"rp-0"}');
    expect(await runWith(['report', file, '--out', out()], bank)).toMatchObject({
      code: 1,
      out: expect.stringContaining('1 were refused'),
    });
    expect(linesOf()).toStrictEqual([
      { item: 1, index: 0, outcome: 'created' },
      { item: 2, index: 1, outcome: 'refused' },
    ]);
    expect(bank.recorded()).toBe(2);
  });

  it.each([
    ['reports.csv', 'rupa_id,ammount\nrp-1,5\n', 'but has "ammount"'],
    ['reports.jsonl', '{"rupa_id":\n', 'line 1 is not a JSON object.'],
  ])('refuses a file %s with %j', async (name, content, message) => {
    const bank = service();
    const result = await runWith(['report', fileOf(name, content), '--out', out()], bank);
    expect(result).toMatchObject({ code: 2, err: expect.stringContaining(message) });
    expect(bank.calls).toStrictEqual([]);
  });
});
