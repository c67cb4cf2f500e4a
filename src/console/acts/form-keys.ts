import { createHash, createHmac, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto';
import { type TokenHolder } from '../../http/authenticating/admin-tokens.js';

/** Hours in which a form can be submitted. They are fewer than the 24 hours for which its result is stored, so no form acts twice. */
const FORM_HOURS = 12;
const HOUR_MS = 3_600_000;
const RANDOM_BYTES = 16;
const RADIX = 36;
const OWNER_DIGITS = 16;

/** The question of a form before it acts. A person types `word`, or confirms `question` on a page of its own if there is no word. */
export interface Ask {
  /** Text of the button, such as "Deactivate". */
  readonly label: string;
  /** A sentence that says what follows from the act. */
  readonly question: string;
  readonly word?: string;
}

/** The content of a submitted form's key. */
export interface ReadKey {
  readonly owner: string;
  readonly expired: boolean;
}

/**
 * Makes and reads the keys of forms. A page has a new key in each of its forms, so that the same form has its effect once, however often it
 * is submitted. A key is signed: it says for whom the form was made, when, and what it asks, and nobody else can make one.
 */
export class FormKeys {
  /** @param keys returns the keys, the current one first; forms signed with older ones stay valid */
  constructor(private readonly keys: () => readonly KeyObject[]) {}

  /** @param asks as {@link encodeAsk} returns it @param now milliseconds since 1970 */
  make(owner: string, asks: string, now: number, random = randomBytes(RANDOM_BYTES).toString('base64url')): string {
    const content = [now.toString(RADIX), owner, random].join('.');
    return `${content}.${this.signatures(content, asks)[0] ?? ''}`;
  }

  /** Returns what the key says; undefined if this service made no such key, or made it for a form that asks something else. */
  read(key: string, asks: string, now: number): ReadKey | undefined {
    const end = key.lastIndexOf('.');
    const [content, sent] = [key.slice(0, Math.max(end, 0)), Buffer.from(key.slice(end + 1))];
    // Four texts decode to the same signature, and each would be another key, by which a form has its effect again.
    const genuine = this.signatures(content, asks).map((each) => Buffer.from(each));
    if (!genuine.some((each) => each.length === sent.length && timingSafeEqual(each, sent))) return undefined;
    const [made = '', owner = ''] = content.split('.');
    return { owner, expired: now > Number.parseInt(made, RADIX) + FORM_HOURS * HOUR_MS };
  }

  private signatures(content: string, asks: string): readonly string[] {
    return this.keys().map((key) => createHmac('sha256', key).update(`form ${content}\n${asks}`).digest('base64url'));
  }
}

/** Returns whom a form is made for: the same for every session of a person, and nothing that names one. */
export function ownerOf({ fingerprint }: Pick<TokenHolder, 'fingerprint'>): string {
  return createHash('sha256').update(fingerprint).digest('hex').slice(0, OWNER_DIGITS);
}

/** Returns the text in which a form contains what it asks; empty if it asks nothing. */
export function encodeAsk(ask: Ask | undefined): string {
  return ask === undefined ? '' : Buffer.from(JSON.stringify(ask)).toString('base64url');
}

/** @param asks genuine, as {@link FormKeys.read} has found it */
export function decodeAsk(asks: string): Ask | undefined {
  return asks === '' ? undefined : (JSON.parse(Buffer.from(asks, 'base64url').toString()) as Ask);
}
