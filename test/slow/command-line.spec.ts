import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { generateFarmer } from '../../src/cli/demo/generate-farmer.js';
import { admin, makePartner, partnerWith, whenServed } from '../support/client.js';
import { run, rupa } from '../support/rupa.js';
import { until } from '../support/until.js';
import { startService, temporaryDataDir, type TestService } from '../support/service.js';

describe('rupa, next to a running service,', () => {
  let service: TestService;

  beforeAll(async () => {
    service = await startService({}, { repeats: true });
  });
  afterAll(() => service.stop());

  it('imports farmers, and changes nothing the second time', async () => {
    const file = join(service.dataDir, 'farmers.jsonl');
    const farmers = Array.from({ length: 200 }, (_, index) => generateFarmer(3, index, 'live'));
    writeFileSync(file, farmers.map((farmer) => JSON.stringify(farmer)).join('\n'));
    expect(await rupa(service.dataDir, ['farmers', 'import', file])).toMatchObject({
      code: 0,
      out: '200 registered, 0 updated, 0 unchanged, 0 refused\n',
    });
    expect(await rupa(service.dataDir, ['farmers', 'import', file, '--json'])).toMatchObject({
      code: 0,
      out: '{"registered":0,"updated":0,"unchanged":200,"refused":0}\n',
    });
    const bank = await makePartner(service);
    const { status, body } = await bank.lookup(farmers[42]?.rupa_id ?? '');
    expect([status, (body.data.identity as { full_name: string }).full_name]).toStrictEqual([200, farmers[42]?.identity?.full_name]);
  });

  it('reports invalid lines by number and reason, and imports the rest', async () => {
    const lines = [
      '{"rupa_id":"rp-a","identity":{"first_name":"A"}}',
      'no json',
      '',
      '{"phone_verified":true}',
      '{"rupa_id":"rp-b","wallet":{"balance":-1}}',
      '{"rupa_id":"rp-a","phone_verified":true}',
    ];
    const { code, out, err } = await rupa(service.dataDir, ['farmers', 'import', '-'], lines.join('\n'));
    expect([code, out]).toStrictEqual([1, '1 registered, 1 updated, 0 unchanged, 3 refused\n']);
    expect(err.split('\n').filter((line) => line.startsWith('line '))).toStrictEqual([
      'line 2: It is not valid JSON.',
      'line 4: The rupa id field is required.',
      'line 5: The wallet.balance field must be at least 0.',
    ]);
    expect((await admin(service, 'GET', '/farmers/rp-a')).body.data).toMatchObject({ phone_verified: true, identity: { first_name: 'A' } });
  });

  it('accepts any characters within a line, and refuses only the lines that it cannot read', async () => {
    const file = join(service.dataDir, 'odd.jsonl');
    const name = 'A\u2028B\u2029C\u0085D';
    const lines = [
      `\ufeff{"rupa_id":"rp-odd","identity":{"first_name":"${name}"}}\r`,
      `{"rupa_id":"rp-long","identity":{"first_name":"${'x'.repeat(200_000)}"}}`,
      Buffer.from([0x7b, 0xff, 0x7d]),
      '{"rupa_id":"rp-next"}\r',
      '',
    ];
    writeFileSync(file, Buffer.concat(lines.map((line) => Buffer.concat([Buffer.from(line as string), Buffer.from('\n')]))));
    const { code, out, err } = await rupa(service.dataDir, ['farmers', 'import', file]);
    expect([code, out]).toStrictEqual([1, '2 registered, 0 updated, 0 unchanged, 2 refused\n']);
    expect(err.split('\n').filter((line) => line.startsWith('line '))).toStrictEqual([
      'line 2: It is longer than 128 KiB.',
      'line 3: It is not valid UTF-8.',
    ]);
    expect(
      readFileSync(`${file}.refused.jsonl`, 'utf8')
        .trimEnd()
        .split('\n')
        .map((text) => JSON.parse(text) as object),
    ).toStrictEqual([
      { line: 2, reason: 'It is longer than 128 KiB.' },
      { line: 3, reason: 'It is not valid UTF-8.' },
    ]);
    expect((await admin(service, 'GET', '/farmers/rp-odd')).body.data).toMatchObject({ identity: { first_name: name } });
  });

  it('adds to the refused lines when an import continues, and lists them from scratch when it starts again', async () => {
    const [file, listed] = [join(service.dataDir, 'refused.jsonl'), join(service.dataDir, 'listed.jsonl')];
    writeFileSync(file, 'no json\n{"rupa_id":"rp-next"}\nno json either\n');
    const linesListed = async (...args: string[]): Promise<number[]> => {
      expect(await rupa(service.dataDir, ['farmers', 'import', file, '--refused', listed, ...args])).toMatchObject({ code: 1 });
      return readFileSync(listed, 'utf8')
        .trimEnd()
        .split('\n')
        .map((text) => (JSON.parse(text) as { line: number }).line);
    };
    expect(await linesListed()).toStrictEqual([1, 3]);
    expect(await linesListed('--from-line', '2')).toStrictEqual([1, 3, 3]);
    expect(await linesListed()).toStrictEqual([1, 3]);
  });

  it('does not list refused lines in the file that it imports, however that file is named', async () => {
    const file = join(service.dataDir, 'kept.jsonl');
    const alias = join(service.dataDir, 'alias.jsonl');
    writeFileSync(file, 'no json\n{"rupa_id":"rp-kept"}\n');
    symlinkSync(file, alias);
    for (const path of [file, alias, relative(process.cwd(), file)]) {
      const { code, err } = await rupa(service.dataDir, ['farmers', 'import', file, '--refused', path]);
      expect([code, err]).toStrictEqual([2, expect.stringContaining('--refused would overwrite it: name another file.')]);
    }
    expect(readFileSync(file, 'utf8')).toBe('no json\n{"rupa_id":"rp-kept"}\n');
  });

  it('imports from what can be read once: a pipe of the shell, standard input by its name, and a named pipe', async () => {
    const file = join(service.dataDir, 'piped.jsonl');
    writeFileSync(file, Array.from({ length: 50 }, (_, i) => JSON.stringify({ rupa_id: `rp-piped-${i}` })).join('\n'));
    const shell = (script: string) =>
      run('bash', ['-c', script, 'bash', process.execPath, resolve('dist/src/cli.js'), file], { DATA_DIR: service.dataDir });
    expect(await shell('"$1" "$2" farmers import <(cat "$3")')).toMatchObject({
      code: 0,
      out: '50 registered, 0 updated, 0 unchanged, 0 refused\n',
    });
    const again = { code: 0, out: '0 registered, 0 updated, 50 unchanged, 0 refused\n' };
    expect(await shell('cat "$3" | "$1" "$2" farmers import /dev/stdin')).toMatchObject(again);
    expect(await shell('mkfifo "$3.pipe"; cat "$3" > "$3.pipe" & "$1" "$2" farmers import "$3.pipe"')).toMatchObject(again);
    const refused = await shell('"$1" "$2" farmers import <(echo nonsense; cat "$3")');
    expect(refused).toMatchObject({
      code: 1,
      out: '0 registered, 0 updated, 50 unchanged, 1 refused\n',
      err: expect.stringContaining('line 1: '),
    });
  });

  it('stops an import from a named pipe without a writer on Ctrl-C', async () => {
    const pipe = join(service.dataDir, 'unwritten.pipe');
    execFileSync('mkfifo', [pipe]);
    const imports = async (): Promise<number> => {
      const { body } = await whenServed(() => admin(service, 'GET', '/audit-trail?action=rupa%20farmers%20import'));
      return (body.data.entries as readonly unknown[]).length;
    };
    const before = await imports();
    const child = spawn(process.execPath, [resolve('dist/src/cli.js'), 'farmers', 'import', pipe], {
      env: { ...process.env, DATA_DIR: service.dataDir },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const ended = once(child, 'exit');
    await until(async () => (await imports()) > before);
    child.kill('SIGINT');
    const [code, signal] = (await ended) as [number | null, string | null];
    // The command handles the signal from soon after its entry in the audit trail on; before that it ends the process.
    expect(signal ?? code).toBe(signal === null ? 130 : 'SIGINT');
  });

  it.each([
    ['an argument', '"$1" "$2" partners create "$(printf "caf\\351")" --type bank', 'is not UTF-8'],
    ['the environment', 'ISSUER_NAME="$(printf "caf\\351")" "$1" "$2" partners list', 'ISSUER_NAME is wrong: it is not UTF-8.'],
    ['a file of prices', `printf '{"fees":{"caf\\351":1}}' | "$1" "$2" prices publish -`, 'it is not UTF-8: byte 14 is 0xe9'],
  ])('refuses bytes in %s that are not UTF-8', async (_name, script, reason) => {
    const { code, out, err } = await run('bash', ['-c', script, 'bash', process.execPath, resolve('dist/src/cli.js')], {
      DATA_DIR: service.dataDir,
    });
    expect({ code, out, err }).toEqual({ code: expect.any(Number), out: '', err: expect.stringContaining(reason) });
    expect(code).not.toBe(0);
  });

  it('stops an import at a line on Ctrl-C, and continues there', async () => {
    const farmers = Array.from({ length: 130 }, (_, index) => generateFarmer(4, index, 'live'));
    const lines = farmers.map((farmer) => `${JSON.stringify(farmer)}\n`).join('');
    const child = spawn(process.execPath, [resolve('dist/src/cli.js'), 'farmers', 'import', '-'], {
      env: { ...process.env, DATA_DIR: service.dataDir },
      stdio: ['pipe', 'ignore', 'pipe'],
    });
    let err = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
    child.stdin.on('error', () => undefined).write(lines);
    // The last lines stay unread, because the import waits for more of them.
    await until(async () => (await admin(service, 'GET', `/farmers/${farmers[127]?.rupa_id ?? ''}`)).status === 200);
    child.kill('SIGINT');
    const [code] = (await once(child, 'close')) as [number | null];
    expect([code, err]).toStrictEqual([
      130,
      expect.stringContaining('Stopped after line 128. To continue, pass the same lines again to: rupa farmers import - --from-line 129'),
    ]);
    expect(await rupa(service.dataDir, ['farmers', 'import', '-', '--from-line', '129'], lines)).toMatchObject({
      code: 0,
      out: '2 registered, 0 updated, 0 unchanged, 0 refused\n',
    });
  });

  it('loads for its help and its version no other package than commander, and for a status no application', async () => {
    const loadedFor = async (...words: string[]): Promise<string[]> => {
      const program = ['--import', resolve('test/support/loaded-modules.mjs'), resolve('dist/src/cli.js'), ...words];
      const { code, err } = await run(process.execPath, program, { DATA_DIR: service.dataDir });
      expect(code).toBe(0);
      return err.trimEnd().split('\n').at(-1)?.replace('loaded: ', '').split(' ') ?? [];
    };
    for (const words of [['--help'], ['--version'], ['partners', '--help']]) expect(await loadedFor(...words)).toStrictEqual(['commander']);
    const application = ['@nestjs/common', '@nestjs/core', 'fastify', 'class-validator', 'reflect-metadata'];
    for (const words of [
      ['projections', 'status'],
      ['keys', 'status'],
    ]) {
      const loaded = await loadedFor(...words);
      expect(loaded).toContain('pg');
      expect(application.filter((name) => loaded.includes(name))).toStrictEqual([]);
    }
  });

  it('prints its version', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    for (const flag of ['--version', '-V'])
      expect(await rupa(service.dataDir, [flag])).toStrictEqual({ code: 0, out: `${version}\n`, err: '' });
  });

  it('is executable after every build, so that npx can start it', () => {
    expect(statSync('dist/src/cli.js').mode & 0o111).toBe(0o111);
  });

  it('creates, activates and credits a partner whose key works at once', async () => {
    const id = (await rupa(service.dataDir, ['partners', 'create', 'By Hand', '--type', 'bank'])).out.trim();
    expect((await rupa(service.dataDir, ['partners', 'activate', id])).code).toBe(0);
    expect((await rupa(service.dataDir, ['partners', 'credit', id, '1500.50', '--reference', 'r1'])).out).toBe(
      'credited; the balance is NGN 1,500.50\n',
    );
    expect((await rupa(service.dataDir, ['partners', 'credit', id, '1500.50', '--reference', 'r1'])).out).toBe(
      'already credited; the balance is NGN 1,500.50\n',
    );
    const key = (await rupa(service.dataDir, ['partners', 'key', id])).out.trim();
    const { body } = await partnerWith(service, id, key).call('GET', '/me');
    expect(body).toMatchObject({ data: { company_name: 'By Hand', status: 'active', wallet_balance: 1500.5 } });
    await until(async () => /By Hand.*1,500\.50/.test((await rupa(service.dataDir, ['partners', 'list'])).out));
  });

  it('refuses values that HTTP refuses, with the same sentences and before it changes anything', async () => {
    const { partner_id } = await makePartner(service);
    const partners = (...words: string[]): ReturnType<typeof rupa> => rupa(service.dataDir, ['partners', ...words]);
    const long = 'x'.repeat(16_000);
    const amount = expect.stringContaining('It must be an amount in NGN with at most two decimals, such as 1500 or 1500.50.');
    const refused: readonly [unknown, ...string[]][] = [
      [amount, 'credit', partner_id, '-1000', '--reference', 'r'],
      [amount, 'credit', partner_id, '', '--reference', 'r'],
      ['The amount field must be at least 0.01.\n', 'credit', partner_id, '0', '--reference', 'r'],
      ['The reference field is required.\n', 'credit', partner_id, '1', '--reference', ' '],
      ['The reference field must not be greater than 255 characters.\n', 'credit', partner_id, '1', '--reference', long],
      ['The reason field must not be greater than 255 characters.\n', 'credit', partner_id, '1', '--reference', 'r', '--reason', long],
      ['The company name field is required.\n', 'create', '', '--type', 'bank'],
      ['The company name field must be at least 1 character.\n', 'details', partner_id, '--company-name', ' '],
      ['The legal.name field must not be greater than 255 characters.\n', 'details', partner_id, '--name', long],
      ['The label field must not be greater than 255 characters.\n', 'key', partner_id, '--label', long],
    ];
    for (const [err, ...words] of refused) expect(await partners(...words)).toStrictEqual({ code: 2, out: '', err });
    expect(await partners('credit', partner_id, '0.5', '--reference', ' trimmed ')).toMatchObject({ code: 0 });
    const { body } = await admin(service, 'GET', `/partners/${partner_id}/wallet/entries`);
    expect(body.data.entries).toMatchObject([{ reference: 'opening' }, { amount: 0.5, reference: 'trimmed' }]);
    expect((await rupa(service.dataDir, ['wallet', 'verify', partner_id])).code).toBe(0);
  });

  it('lists the deliveries of an endpoint that match its options', async () => {
    const bank = await makePartner(service, { mode: 'sandbox' });
    const id = String((await bank.call('POST', '/webhooks', { url: 'https://hooks.example/rupa' })).body.data.id);
    for (const rupa_id of ['rp-sent-1', 'rp-sent-2']) {
      await admin(service, 'PUT', `/farmers/${rupa_id}`, { mode: 'sandbox' });
      await bank.lookup(rupa_id, { sections: ['identity'] });
      await bank.call('POST', '/report', { rupa_id, event: 'loan_disbursed' });
    }
    const deliveries = (...words: string[]): ReturnType<typeof rupa> => rupa(service.dataDir, ['webhooks', 'deliveries', id, ...words]);
    const listed = async (...words: string[]) =>
      JSON.parse((await deliveries('--json', ...words)).out) as { id: number; created_at: string }[];
    await until(async () => (await listed()).length === 2);
    expect((await rupa(service.dataDir, ['webhooks', 'disable', id])).code).toBe(0);
    // One that was being sent is cancelled when its next attempt is due.
    await until(async () => (await listed('--status', 'cancelled')).length === 2);
    const [second, first] = await listed();
    expect(await listed('--status', 'cancelled')).toStrictEqual([second, first]);
    expect(await listed('--status', 'delivered')).toStrictEqual([]);
    expect(await listed('--rupa-id', 'RP-Sent-1', '--status', 'cancelled')).toStrictEqual([first]);
    expect(await listed('--from', second?.created_at ?? '', '--rupa-id', 'rp-sent-2')).toStrictEqual([second]);
    expect(await listed('--to', first?.created_at ?? '')).toStrictEqual([]);
    expect(await listed('--from', '2026-01-01', '--to', '2199-01-01', '-n', '1')).toStrictEqual([second]);
    expect((await deliveries('--rupa-id', 'rp-sent-2')).out).toMatch(/│ delivery │ queued [^]*│ farmer\.loan_added │ cancelled │/);
    expect(await deliveries('--from', '2026-02-30')).toMatchObject({
      code: 2,
      err: expect.stringContaining("option '--from <time>' argument '2026-02-30' is invalid. The from field must be an ISO 8601 date"),
    });
  });

  it('exits with 2 for wrong usage, and with 1 and an explanation for a failure', async () => {
    expect((await rupa(service.dataDir, ['farmers', 'improt'])).code).toBe(2);
    expect((await rupa(service.dataDir, ['partners', 'create', 'x', '--type', 'cook'])).code).toBe(2);
    expect(await rupa(service.dataDir, ['partners', 'activate', 'nobody'])).toMatchObject({
      code: 1,
      err: 'No partner found for that id.\n',
    });
    expect(await rupa(service.dataDir, ['farmers', 'import', '/nowhere'])).toMatchObject({
      code: 2,
      err: expect.stringMatching(/'\/nowhere' is invalid for argument 'file'\. It cannot be read: ENOENT/),
    });
  });
});

describe('rupa, without a running service,', () => {
  it('opens the stores itself and creates demo data', async () => {
    const { dataDir, release } = temporaryDataDir();
    try {
      const { code, out } = await rupa(dataDir, ['demo', '--farmers', '20', '--json']);
      expect(code).toBe(0);
      expect(JSON.parse(out)).toMatchObject({
        farmers: 20,
        partners: [{ account_type: 'bank' }, { account_type: 'insurer' }, { account_type: 'agtech' }],
      });
      expect((await rupa(dataDir, ['partners', 'list', '--json'])).out).toContain('Savannah Demo Bank');
      const mistyped = join(dataDir, 'mistyped');
      expect(await rupa(mistyped, ['wallet', 'verify'])).toMatchObject({
        code: 2,
        out: '',
        err: expect.stringMatching(/mistyped holds no event store and no PostgreSQL cluster\. Set DATA_DIR to .+\n$/),
      });
      expect(existsSync(mistyped)).toBe(false);
    } finally {
      await release();
    }
  });
});
