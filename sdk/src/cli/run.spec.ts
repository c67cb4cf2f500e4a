import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { failure, json, ok, scriptedFetch, type Step } from '../../../test/support/unit/scripted-fetch.js';
import { VERSION } from '../runtime.js';
import { webhooks } from '../verify-webhook.js';
import { localSigningSecret } from './forward.js';
import { run } from './run.js';

const KEY = 'rupa_key_secret';
const ENV = { RUPA_API_KEY: KEY, RUPA_URL: 'https://api.example' };
const HOOK = ['--forward-to', 'http://127.0.0.1:4000/hooks'];
const SANDBOX = (): Response => ok({ mode: 'sandbox', company_name: 'Test Bank' });
const EVENT = { id: 'e-1', type: 'farmer.loan_added', created_at: '2026-03-01T09:00:00.000Z', mode: 'sandbox', data: { rupa_id: 'rp-1' } };
const eventPage = (next_cursor: string, ...events: object[]): Response => ok({ events, next_cursor });

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'rupa-client-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

async function runWith(args: readonly string[], steps: readonly Step[] = [], env: Record<string, string> = ENV) {
  const [out, err]: [string[], string[]] = [[], []];
  const controller = new AbortController();
  const stop: Step = () => {
    controller.abort(new Error('Ctrl-C'));
    return Promise.reject(controller.signal.reason as Error);
  };
  const { fetch, sent } = scriptedFetch(...steps, stop);
  const terminal = { env, fetch, signal: controller.signal, print: (line: string) => void out.push(line) };
  const code = await run(args, terminal, (line) => void err.push(line));
  return { code, out: out.join('\n'), err: err.join('\n'), sent };
}

describe('the command line', () => {
  it.each([
    [['sing'], 'There is no command "sing": the commands are lookup, report, listen, trigger, resend.'],
    [['--forward-to', 'http://127.0.0.1'], 'There is no command ""'],
    [['listen'], 'Name the address of your receiver: --forward-to'],
    [['listen', '--forward-to', '127.0.0.1:4000'], '--forward-to is "127.0.0.1:4000", but must be an address'],
    [['listen', 'now', ...HOOK], 'listen does not take the argument "now".'],
    [['listen', '--rupa-id', 'rp-1', ...HOOK], 'listen has no option --rupa-id.'],
    [['listen', '--wrong'], "Unknown option '--wrong'"],
    [['trigger'], 'trigger needs an argument: rupa-client trigger TYPE'],
    [['trigger', 'a', 'b'], 'trigger does not take the argument "b".'],
    [['resend', ...HOOK], 'resend needs an argument: rupa-client resend EVENT_ID'],
    [['resend', 'e-1'], 'Name the address of your receiver'],
    [['listen', ...HOOK, '--api-key-file', '/nowhere'], '--api-key-file cannot be read: ENOENT'],
    [['listen', ...HOOK, '--url', 'api.example'], 'baseUrl is "api.example", but must be an address'],
  ])('refuses %j with a sentence and 2, before it sends anything', async (args, sentence) => {
    const { code, out, err, sent } = await runWith(args);
    expect({ code, out, sent: sent.length }).toStrictEqual({ code: 2, out: '', sent: 0 });
    expect(err).toContain(sentence);
    expect(err).toContain('See rupa-client --help.');
  });

  it.each([
    [{ RUPA_URL: ENV.RUPA_URL }, 'Set RUPA_API_KEY to your API key'],
    [{ RUPA_API_KEY: KEY }, 'Pass the address of the service with --url, or set RUPA_URL.'],
    [{ ...ENV, RUPA_API_KEY: `${KEY}\n` }, 'apiKey contains a character'],
  ])('needs a key and an address, and never shows the key', async (env, sentence) => {
    const { code, err } = await runWith(['trigger', 'farmer.loan_added'], [], env);
    expect(code).toBe(2);
    expect(err).toContain(sentence);
    expect(err).not.toContain(KEY);
  });

  it('reads the key from a file', async () => {
    const file = join(folder, 'key');
    writeFileSync(file, `${KEY}\n`);
    const { sent } = await runWith(['trigger', 'farmer.loan_added', '--api-key-file', file], [SANDBOX()], { RUPA_URL: ENV.RUPA_URL });
    expect(sent[0]?.headers.get('X-API-KEY')).toBe(KEY);
  });

  it.each([
    [['--help'], /^rupa-client: .*\n\n {2}rupa-client lookup FILE\.csv [\s\S]*\n {2}rupa-client listen --forward-to URL/],
    [[], /^rupa-client: /],
    [['--version'], new RegExp(`^${VERSION}$`)],
  ])('%j succeeds', async (args, expected) => {
    expect(await runWith(args)).toMatchObject({ code: 0, err: '', out: expect.stringMatching(expected) });
  });

  it.each([
    ['listen', ...HOOK],
    ['trigger', 'farmer.loan_added'],
    ['resend', 'e-1', ...HOOK],
  ])('refuses the key of a live account: %s', async (...args) => {
    const { code, err, sent } = await runWith(args, [ok({ mode: 'live' })]);
    expect({ code, sent: sent.length }).toStrictEqual({ code: 2, sent: 1 });
    expect(err).toContain('This is the key of a live account. Use the key of a sandbox account.');
  });

  it('shows an error response with its code, and returns 1', async () => {
    const steps = [failure(401, 'api_key_invalid', { 'X-Request-Id': 'r-1' })];
    expect(await runWith(['listen', ...HOOK], steps)).toMatchObject({
      code: 1,
      err: 'It is api_key_invalid. (api_key_invalid, request r-1)',
    });
    const invalid = [SANDBOX(), failure(422, 'validation_failed', {}, { errors: { type: ['The type field is wrong.'] } })];
    expect(await runWith(['trigger', 'x'], invalid)).toMatchObject({ code: 1, err: expect.stringContaining('The type field is wrong. (') });
  });
});

describe('listen', () => {
  it('forwards events that happen after its start, signed with the secret that it prints, and shows each response', async () => {
    const past = { ...EVENT, id: 'e-0' };
    const steps = [SANDBOX(), eventPage('b', past), eventPage('b'), eventPage('c', EVENT), new Response(null, { status: 204 })];
    const { code, out, err, sent } = await runWith(['listen', ...HOOK], steps);
    expect({ code, err }).toStrictEqual({ code: 0, err: '' });
    const [, secret = ''] = /^Signing secret: (whsec_\S+) /m.exec(out) ?? [];
    expect(out).toMatch(
      /^Listening to the events of Test Bank \(sandbox\)\. Stop with Ctrl-C\.\nForwarding to http:\/\/127\.0\.0\.1:4000\/hooks\n/,
    );
    expect(out).toMatch(/\n\S+Z {2}farmer\.loan_added rp-1 {2}e-1 {2}-> {2}204 \(\d+ ms\)$/);
    expect(out).not.toContain(KEY);
    expect(sent[3]?.url).toBe('https://api.example/v1/rupa/events?cursor=b&wait=25');
    const delivery = sent.filter(({ url }) => url === HOOK[1]);
    expect(delivery).toHaveLength(1);
    const [{ body, headers } = { body: null, headers: new Headers() }] = delivery;
    expect(headers.get('X-API-KEY')).toBeNull();
    expect(await webhooks.verify(body ?? '', headers, secret)).toStrictEqual(EVENT);
    expect(await webhooks.verify(body ?? '', headers, secret, { style: 'x-rupa-signature' })).toStrictEqual(EVENT);
  });

  it('forwards the types that it is told to, and goes on after a failure', async () => {
    const other = { ...EVENT, id: 'e-2', type: 'farmer.loan_repaid' };
    const available = ok({ endpoints: [], available_events: ['farmer.loan_added', 'farmer.claim_filed'] });
    const steps = [
      SANDBOX(),
      available,
      eventPage(''),
      eventPage('c', other, EVENT),
      new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') }),
    ];
    const again = [eventPage('d', { ...EVENT, id: 'e-3' }), json(500, {})];
    const { out } = await runWith(['listen', ...HOOK, '--events', 'farmer.loan_added,farmer.claim_filed'], [...steps, ...again]);
    expect(out).not.toContain('e-2');
    expect(out).toMatch(/e-1 {2}-> {2}no response: connect ECONNREFUSED \(\d+ ms\)\n.*e-3 {2}-> {2}500 \(/);
  });

  it('refuses a type that does not exist', async () => {
    const available = ok({ endpoints: [], available_events: ['farmer.loan_added'] });
    const { code, err } = await runWith(['listen', ...HOOK, '--events', 'farmer.loan_added,loan'], [SANDBOX(), available]);
    expect({ code, err }).toStrictEqual({
      code: 2,
      err: expect.stringContaining('There is no event "loan": the events are farmer.loan_added.'),
    });
  });

  it('has a secret for each key that stays the same and is a valid one', () => {
    expect(localSigningSecret(KEY)).toBe(localSigningSecret(KEY));
    expect(localSigningSecret(KEY)).not.toBe(localSigningSecret(`${KEY}2`));
    expect(localSigningSecret(KEY)).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  });
});

describe('resend', () => {
  it('finds the event on any page, and returns 1 unless the receiver accepts it', async () => {
    const pages = (): Step[] => [SANDBOX(), eventPage('b', { ...EVENT, id: 'e-0' }), eventPage('c', EVENT)];
    const accepted = await runWith(['resend', 'e-1', ...HOOK], [...pages(), new Response(null, { status: 200 })]);
    expect(accepted).toMatchObject({ code: 0, out: expect.stringMatching(/e-1 {2}-> {2}200 \(/) });
    const { body, headers } = accepted.sent.at(-1) ?? { body: null, headers: new Headers() };
    expect(await webhooks.verify(body ?? '', headers, localSigningSecret(KEY))).toStrictEqual(EVENT);
    expect((await runWith(['resend', 'e-1', ...HOOK], [...pages(), json(400, {})])).code).toBe(1);
  });

  it('says that an event does not exist', async () => {
    const { code, err } = await runWith(['resend', 'e-9', ...HOOK], [SANDBOX(), eventPage('b', EVENT), eventPage('b')]);
    expect({ code, err }).toStrictEqual({ code: 2, err: expect.stringContaining('Your account has no event "e-9" of the last 30 days.') });
  });
});

describe('trigger', () => {
  it('is about a test farmer, unless another one is named', async () => {
    const steps = (rupa_id: string): Step[] => [
      SANDBOX(),
      json(202, { success: true, data: { id: 'e-1', type: 'farmer.loan_added', rupa_id } }),
    ];
    const first = await runWith(['trigger', 'farmer.loan_added'], steps('rp-test-gold'));
    expect(first).toMatchObject({ code: 0, out: 'Triggered farmer.loan_added about rp-test-gold: event e-1' });
    expect(first.sent[1]?.url).toBe('https://api.example/v1/rupa/sandbox/events');
    expect(JSON.parse(first.sent[1]?.body ?? '')).toStrictEqual({ type: 'farmer.loan_added', rupa_id: 'rp-test-gold' });
    const other = await runWith(['trigger', 'farmer.loan_added', '--rupa-id', 'rp-1'], steps('rp-1'));
    expect(JSON.parse(other.sent[1]?.body ?? '')).toMatchObject({ rupa_id: 'rp-1' });
  });
});
