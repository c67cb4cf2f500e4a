import { describe, expect, it } from '@jest/globals';
import { inspect } from 'node:util';
import { generateSigningSecret, signatureHeaders } from '../../src/contexts/webhooks/domain/signature.js';
import { type IncomingHeaders, type VerifyOptions, webhooks, WebhookVerificationError, WebhookVerifier } from './index.js';
import { signWebhook } from './verify-webhook.js';

const SECRET = generateSigningSecret();
const OLD_SECRET = generateSigningSecret();
const NOW = new Date('2026-03-01T09:00:00Z');
const EVENT = { id: 'e-1', type: 'farmer.loan_added', created_at: NOW.toISOString(), mode: 'live', data: { rupa_id: 'rp-ọlá' } };
const BODY = JSON.stringify(EVENT);
const OWN = { style: 'x-rupa-signature' } as const;

/** Signs as the service does, with its own code. */
function signed(body = BODY, secrets: readonly string[] = [SECRET], now = NOW): Record<string, string> {
  const headers = signatureHeaders({ id: 'e-1', body, secrets, now });
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

const verify = (
  headers: IncomingHeaders,
  options: VerifyOptions = {},
  body: string | Uint8Array = BODY,
  secrets: string | string[] = SECRET,
) => webhooks.verify(body, headers, secrets, { now: NOW, ...options });

async function reasonOf(verification: Promise<unknown>): Promise<string> {
  const error: unknown = await verification.catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(WebhookVerificationError);
  return (error as WebhookVerificationError).reason;
}

describe.each([['standard', {}] as const, ['x-rupa-signature', OWN] as const])('a delivery verified by %s', (_style, options) => {
  it('is returned parsed, from text and from bytes, with headers of any kind', async () => {
    expect(await verify(signed(), options)).toStrictEqual(EVENT);
    expect(await verify(new Headers(signed()), options, Buffer.from(BODY))).toStrictEqual(EVENT);
    const asSent = signatureHeaders({ id: 'e-1', body: BODY, secrets: [SECRET], now: NOW });
    expect(await verify(asSent, options)).toStrictEqual(EVENT);
  });

  it('is returned parsed with its headers as Headers, Map, pairs, raw list or lists of one value, and with a value of one item', async () => {
    const pairs = Object.entries(signed());
    const foreign = { entries: () => pairs[Symbol.iterator](), get: () => null } as unknown as IncomingHeaders;
    const shapes: IncomingHeaders[] = [
      new Headers(pairs),
      foreign,
      new Map(pairs),
      new Map(pairs.map(([name, value]) => [name.toUpperCase(), [value]])),
      pairs,
      pairs.flat(),
      Object.fromEntries(pairs.map(([name, value]) => [name, [value]])),
    ];
    for (const headers of shapes) expect(await verify(headers, options)).toStrictEqual(EVENT);
  });

  it('is rejected if a header of the signature arrived twice', async () => {
    const twice = Object.fromEntries(Object.entries(signed()).map(([name, value]) => [name, [value, value]]));
    expect(await reasonOf(verify(twice, options))).toBe('header_missing');
  });

  it('is rejected if its body was changed by a single byte', async () => {
    expect(await reasonOf(verify(signed(), options, `${BODY} `))).toBe('no_match');
    expect(await reasonOf(verify(signed(), options, BODY.replace('rp-ọlá', 'rp-ola')))).toBe('no_match');
  });

  it('is rejected if another secret signed it, and accepted if one of several did', async () => {
    expect(await reasonOf(verify(signed(BODY, [OLD_SECRET]), options))).toBe('no_match');
    expect(await verify(signed(BODY, [OLD_SECRET]), options, BODY, [SECRET, OLD_SECRET])).toStrictEqual(EVENT);
  });

  it('is rejected without a signature, and with a malformed or truncated one', async () => {
    expect(await reasonOf(verify({}, options))).toBe('header_missing');
    const { 'x-rupa-signature': own = '', 'webhook-signature': standard = '' } = signed();
    const shortened = { ...signed(), 'x-rupa-signature': own.slice(2), 'webhook-signature': standard.slice(0, 20) };
    expect(['no_match', 'header_malformed']).toContain(await reasonOf(verify(shortened, options)));
    const empty = { ...signed(), 'x-rupa-signature': '', 'webhook-signature': '' };
    expect(await reasonOf(verify(empty, options))).toBe('header_missing');
  });

  it('is rejected if it is signed but no JSON', async () => {
    expect(await reasonOf(verify(signed('no JSON'), options, 'no JSON'))).toBe('body_malformed');
  });

  it.each([
    [{ parsed: 'object' } as unknown as string, SECRET, /Pass the raw body/] as const,
    [BODY, 'rotated', /whsec_/] as const,
    [BODY, [], /whsec_/] as const,
  ])('is not looked at if an argument is wrong: %j, %j', async (body, secrets, message) => {
    await expect(verify(signed(), options, body, secrets as string)).rejects.toThrow(message);
    await expect(verify(signed(), options, body, secrets as string)).rejects.toThrow(TypeError);
  });
});

describe('a delivery after a rotation of the secret', () => {
  it('verifies with the old and with the new secret by standard, and with the new one alone by x-rupa-signature', async () => {
    const headers = signed(BODY, [SECRET, OLD_SECRET]);
    expect(await verify(headers, {}, BODY, OLD_SECRET)).toStrictEqual(EVENT);
    expect(await verify(headers, {}, BODY, SECRET)).toStrictEqual(EVENT);
    expect(await verify(headers, OWN, BODY, SECRET)).toStrictEqual(EVENT);
    expect(await reasonOf(verify(headers, OWN, BODY, OLD_SECRET))).toBe('no_match');
  });
});

describe('the tolerance', () => {
  const after = (seconds: number): Date => new Date(NOW.getTime() + seconds * 1_000);

  it('is five minutes in both directions', async () => {
    expect(await verify(signed(), { now: after(300) })).toStrictEqual(EVENT);
    expect(await reasonOf(verify(signed(), { now: after(301) }))).toBe('too_old');
    expect(await verify(signed(), { now: after(-300) })).toStrictEqual(EVENT);
    expect(await reasonOf(verify(signed(), { now: after(-301) }))).toBe('too_new');
  });

  it('can be chosen', async () => {
    expect(await verify(signed(), { now: after(3_600), tolerance: 3_600 })).toStrictEqual(EVENT);
    expect(await reasonOf(verify(signed(), { now: after(11), tolerance: 10 }))).toBe('too_old');
    await expect(verify(signed(), { tolerance: NaN })).rejects.toThrow(TypeError);
    await expect(verify(signed(), { tolerance: -1 })).rejects.toThrow(TypeError);
  });

  it('covers a time that the signature covers', async () => {
    const later = String(Math.floor(after(3_600).getTime() / 1_000));
    expect(await reasonOf(verify({ ...signed(), 'webhook-timestamp': later }, { now: after(3_600) }))).toBe('no_match');
    expect(await reasonOf(verify({ ...signed(), 'webhook-timestamp': 'today' }))).toBe('header_malformed');
  });

  it('cannot be escaped by leaving out the headers of Standard Webhooks', async () => {
    const { 'x-rupa-signature': own = '' } = signed();
    expect(await reasonOf(verify({ 'x-rupa-signature': own }))).toBe('header_missing');
  });

  it('is a mistake where the signature has no time', async () => {
    await expect(verify(signed(), { ...OWN, tolerance: 60 })).rejects.toThrow(/x-rupa-signature has no time/);
  });
});

describe('a verifier', () => {
  it.each([[undefined], [''], [[]], [['']], [[SECRET, undefined]]])('is not made with the missing secret %j', (secrets) => {
    const make = (): WebhookVerifier => new WebhookVerifier(secrets);
    expect(make).toThrow(TypeError);
    expect(make).toThrow(/^The signing secret is missing\. Pass the one .* RUPA_SIGNING_SECRET, is set\.$/);
  });

  it.each(['secret', 'whsec_', 'whsec_%'])('is not made with the wrong secret %j', (secret) => {
    expect(() => new WebhookVerifier(secret)).toThrow(/^The signing secret (does not begin with whsec_|is not whsec_ and base64)/);
  });

  it('verifies with each of its secrets and with its options', async () => {
    const verifier = new WebhookVerifier([SECRET, OLD_SECRET], { tolerance: 60 });
    for (const secret of [SECRET, OLD_SECRET])
      expect(await verifier.verify(BODY, signed(BODY, [secret]), { now: NOW })).toStrictEqual(EVENT);
    const later = verifier.verify(BODY, signed(), { now: new Date(NOW.getTime() + 61_000) });
    expect(await reasonOf(later)).toBe('too_old');
    expect(await new WebhookVerifier(SECRET, OWN).verify(BODY, signed())).toStrictEqual(EVENT);
  });

  it('does not show its secret when it is printed', () => {
    expect(inspect(new WebhookVerifier(SECRET), { depth: 10, showHidden: true })).not.toContain(SECRET);
  });
});

describe('a signature made for a local receiver', () => {
  it('is the one that the service makes', async () => {
    expect(await signWebhook('e-1', BODY, SECRET, NOW)).toStrictEqual(
      signatureHeaders({ id: 'e-1', body: BODY, secrets: [SECRET], now: NOW }),
    );
  });
});
