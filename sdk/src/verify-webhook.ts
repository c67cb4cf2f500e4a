import { type EventPage, type WebhookTestNotification } from './api-types.generated.js';
import { RupaError } from './rupa-error.js';
import { refuseBrowsers } from './runtime.js';

/** The body of a delivery. `type` tells which notification it is. */
export type WebhookEvent = EventPage['events'][number] | WebhookTestNotification;

/** The headers of a request, as `fetch`, Node, Express, Fastify and serverless platforms have them: an object, `Headers`, a `Map` or a list; in upper or lower case. */
export type IncomingHeaders =
  | Headers
  | ReadonlyMap<string, HeaderValue>
  | readonly (readonly [name: string, value: HeaderValue])[]
  /** Names and values in turn, as Node's `rawHeaders`. */
  | readonly string[]
  | Readonly<Record<string, HeaderValue>>;

type HeaderValue = string | readonly string[] | undefined;

/** The signing secret of the endpoint, or several while you change it. Undefined is refused, so that a variable of the environment can be passed as it is. */
export type Secrets = string | readonly (string | undefined)[] | undefined;

export interface VerifyOptions {
  /**
   * The signature to verify. `standard`, the default, is that of Standard Webhooks: it covers the time of the attempt and so detects a replay.
   * `x-rupa-signature` covers the body alone, so it accepts an old delivery that somebody sends again.
   */
  readonly style?: 'standard' | 'x-rupa-signature';
  /** Seconds by which the time of the attempt may differ from `now`. Default: 300. Only `standard` has a time. */
  readonly tolerance?: number;
  /** The time to compare with. Default: now. */
  readonly now?: Date;
}

/** The delivery is not to be trusted. Respond with 400 and do nothing else. */
export class WebhookVerificationError extends RupaError {
  override readonly name = 'WebhookVerificationError';

  constructor(
    readonly reason: 'header_missing' | 'header_malformed' | 'too_old' | 'too_new' | 'no_match' | 'body_malformed',
    message: string,
  ) {
    super(message);
  }
}

const PREFIX = 'whsec_';
const DEFAULT_TOLERANCE_S = 300;
const encoder = new TextEncoder();
type Bytes = Uint8Array<ArrayBuffer>;

/**
 * Verifies the signature of a delivery and returns its parsed body.
 *
 * @param body the exact bytes that arrived, or their text: not the parsed object
 * @param secrets the signing secret of the endpoint, or several while you change it
 * @throws WebhookVerificationError if the delivery is not authentic or too old
 * @throws TypeError if an argument is wrong. @throws Error in a browser
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: IncomingHeaders,
  secrets: Secrets,
  options: VerifyOptions = {},
): Promise<WebhookEvent> {
  refuseBrowsers();
  const bytes = bytesOf(body);
  const all = validSecrets(secrets);
  const isAuthentic =
    options.style === 'x-rupa-signature' ? verifyOwn(bytes, headers, all, options) : verifyStandard(bytes, headers, all, options);
  if (!(await isAuthentic))
    throw new WebhookVerificationError('no_match', 'No signature matches the body. The secret is another one, or the body was changed.');
  return parsed(bytes);
}

/**
 * Verifies the deliveries of one endpoint. It checks the signing secret when it is made, so that a program without one fails when it starts and
 * not at the first delivery.
 */
export class WebhookVerifier {
  // Private fields keep the secrets out of logs of the verifier.
  readonly #secrets: readonly string[];
  readonly #options: Omit<VerifyOptions, 'now'>;

  /** @throws TypeError if a secret is missing or wrong. @throws Error in a browser */
  constructor(secrets: Secrets, options: Omit<VerifyOptions, 'now'> = {}) {
    refuseBrowsers();
    this.#secrets = validSecrets(secrets);
    for (const secret of this.#secrets) keyOf(secret);
    this.#options = options;
  }

  /** Verifies the signature of a delivery and returns its parsed body; see {@link verifyWebhook}. */
  async verify(body: string | Uint8Array, headers: IncomingHeaders, { now }: Pick<VerifyOptions, 'now'> = {}): Promise<WebhookEvent> {
    return await verifyWebhook(body, headers, this.#secrets, { ...this.#options, ...(now ? { now } : {}) });
  }
}

/** Programs without types may pass anything. No message shows a secret. */
function validSecrets(secrets: unknown): readonly string[] {
  const all: readonly unknown[] = Array.isArray(secrets) ? secrets : [secrets];
  if (all.length === 0 || all.some((secret) => secret === undefined || secret === null || secret === ''))
    throw new TypeError(
      'The signing secret is missing. Pass the one (whsec_…) that the registration returned, and check that the variable that holds it, such as RUPA_SIGNING_SECRET, is set.',
    );
  if (!all.every((secret) => typeof secret === 'string' && secret.startsWith(PREFIX)))
    throw new TypeError('The signing secret does not begin with whsec_. Pass it as the registration returned it.');
  return all as readonly string[];
}

/** Returns the key of Standard Webhooks. @throws TypeError */
function keyOf(secret: string): Bytes {
  const key = fromBase64(secret.slice(PREFIX.length));
  if (!key || key.length === 0)
    throw new TypeError('The signing secret is not whsec_ and base64. Pass it as the registration returned it.');
  return key;
}

/** X-Rupa-Signature: hex HMAC-SHA256 of the body, keyed with the whole secret. */
async function verifyOwn(body: Bytes, headers: IncomingHeaders, secrets: readonly string[], options: VerifyOptions): Promise<boolean> {
  if (options.tolerance !== undefined)
    throw new TypeError(
      'x-rupa-signature has no time, so that no tolerance can apply to it. Use the style standard, or leave tolerance out.',
    );
  const given = header(headers, 'x-rupa-signature');
  if (!/^[0-9a-f]{64}$/i.test(given)) throw new WebhookVerificationError('header_malformed', 'X-Rupa-Signature is not 64 hex digits.');
  const signature = Uint8Array.from(given.match(/../g) ?? [], (digits) => parseInt(digits, 16));
  return await anyOf(secrets, async (secret) => await hasSigned(encoder.encode(secret), signature, body));
}

/** Standard Webhooks: base64 HMAC-SHA256 of id, time and body, keyed with the decoded part of the secret; one signature per valid secret. */
async function verifyStandard(body: Bytes, headers: IncomingHeaders, secrets: readonly string[], options: VerifyOptions): Promise<boolean> {
  const [id, timestamp, given] = [
    header(headers, 'webhook-id'),
    header(headers, 'webhook-timestamp'),
    header(headers, 'webhook-signature'),
  ];
  checkTime(timestamp, options);
  const signatures = given.split(' ').flatMap((entry) => (entry.startsWith('v1,') ? [fromBase64(entry.slice('v1,'.length))] : []));
  const signed = concatenated(encoder.encode(`${id}.${timestamp}.`), body);
  return await anyOf(secrets, async (secret) => {
    const key = keyOf(secret);
    return await anyOf(signatures, async (signature) => signature !== undefined && (await hasSigned(key, signature, signed)));
  });
}

function checkTime(timestamp: string, { tolerance = DEFAULT_TOLERANCE_S, now = new Date() }: VerifyOptions): void {
  if (!Number.isFinite(tolerance) || tolerance < 0)
    throw new TypeError(`tolerance is ${tolerance}, but must be a number of seconds from 0 on.`);
  if (!/^\d{1,12}$/.test(timestamp))
    throw new WebhookVerificationError('header_malformed', 'webhook-timestamp is not a number of seconds.');
  const age = now.getTime() / 1_000 - Number(timestamp);
  const message = `The delivery was signed ${Math.abs(Math.round(age))} s ${age > 0 ? 'ago' : 'in the future'}; ${tolerance} s are tolerated.`;
  if (age > tolerance) throw new WebhookVerificationError('too_old', message);
  if (age < -tolerance) throw new WebhookVerificationError('too_new', `${message} Check this machine's clock.`);
}

/** Verifies deliveries where there is a signing secret and no API key. `client.webhooks.verify` is the same function. */
export const webhooks = { verify: verifyWebhook };

/** Signs like the service does, with the headers of both styles. */
export async function signWebhook(id: string, body: string, secret: string, now: Date): Promise<Record<string, string>> {
  const timestamp = String(Math.floor(now.getTime() / 1_000));
  const standard = await sign(fromBase64(secret.slice(PREFIX.length)) ?? new Uint8Array(), encoder.encode(`${id}.${timestamp}.${body}`));
  const own = await sign(encoder.encode(secret), encoder.encode(body));
  return {
    'X-Rupa-Signature': Array.from(own, (byte) => byte.toString(16).padStart(2, '0')).join(''),
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${btoa(String.fromCharCode(...standard))}`,
  };
}

const ALGORITHM = { name: 'HMAC', hash: 'SHA-256' };

/** Compares in constant time, as the runtime's own verification does. */
async function hasSigned(key: Bytes, signature: Bytes, signed: Bytes): Promise<boolean> {
  return await crypto.subtle.verify(ALGORITHM, await crypto.subtle.importKey('raw', key, ALGORITHM, false, ['verify']), signature, signed);
}

async function sign(key: Bytes, signed: Bytes): Promise<Bytes> {
  return new Uint8Array(await crypto.subtle.sign(ALGORITHM, await crypto.subtle.importKey('raw', key, ALGORITHM, false, ['sign']), signed));
}

async function anyOf<T>(items: readonly T[], isTrue: (item: T) => Promise<boolean>): Promise<boolean> {
  return (await Promise.all(items.map(isTrue))).includes(true);
}

function header(headers: IncomingHeaders, name: string): string {
  const found = entriesOf(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  // A header that arrived several times has no single value, so that none of them can be trusted.
  const value = Array.isArray(found) && found.length === 1 ? (found[0] as unknown) : found;
  if (typeof value !== 'string' || value === '') throw new WebhookVerificationError('header_missing', `The request has no header ${name}.`);
  return value;
}

function entriesOf(headers: IncomingHeaders): readonly (readonly [string, unknown])[] {
  // `Headers` of another realm or of a package, and `Map`, have the same method.
  if ('entries' in headers && typeof headers.entries === 'function' && !Array.isArray(headers))
    return [...(headers as Headers | ReadonlyMap<string, HeaderValue>).entries()];
  if (!Array.isArray(headers)) return Object.entries(headers);
  const list = headers as readonly unknown[];
  if (list.every((item) => typeof item !== 'string')) return list as readonly (readonly [string, unknown])[];
  return list.flatMap((name, index): [string, unknown][] => (index % 2 === 0 ? [[String(name), list[index + 1]]] : []));
}

function bytesOf(body: string | Uint8Array): Bytes {
  if (typeof body === 'string') return encoder.encode(body);
  if (body instanceof Uint8Array) return new Uint8Array(body);
  throw new TypeError('The body is neither a string nor bytes. Pass the raw body as it arrived, before anything parses it.');
}

function concatenated(one: Uint8Array, other: Uint8Array): Bytes {
  const both = new Uint8Array(one.length + other.length);
  both.set(one);
  both.set(other, one.length);
  return both;
}

/** Returns undefined if the text is not base64. */
function fromBase64(text: string): Bytes | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function parsed(bytes: Uint8Array): WebhookEvent {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as WebhookEvent;
  } catch {
    throw new WebhookVerificationError('body_malformed', 'The body is signed, but is not JSON.');
  }
}
