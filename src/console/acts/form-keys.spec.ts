import { describe, expect, it } from '@jest/globals';
import { createSecretKey } from 'node:crypto';
import { decodeAsk, encodeAsk, FormKeys, ownerOf } from './form-keys.js';

const keyOf = (byte: number) => createSecretKey(Buffer.alloc(32, byte));
const keys = new FormKeys(() => [keyOf(1)]);
const OWNER = ownerOf({ fingerprint: '0a1b2c3d' });
const HOUR_MS = 3_600_000;

describe('the key of a form', () => {
  it('is another one in each form, and says for whom the form was made', () => {
    const [one, other] = [keys.make(OWNER, '', 0), keys.make(OWNER, '', 0)];
    expect(one).not.toBe(other);
    expect(keys.read(one, '', 1)).toStrictEqual({ owner: OWNER, expired: false });
  });

  it('is valid for half a day, because its result is stored for a day', () => {
    const key = keys.make(OWNER, '', 0);
    expect([12 * HOUR_MS, 12 * HOUR_MS + 1].map((now) => keys.read(key, '', now)?.expired)).toStrictEqual([false, true]);
  });

  it('is none if somebody else made or changed it', () => {
    const key = keys.make(OWNER, '', 0);
    const others = [new FormKeys(() => [keyOf(2)]).make(OWNER, '', 0), key.replace(OWNER, ownerOf({ fingerprint: 'f' })), '', '.', 'x'];
    expect(others.map((each) => keys.read(each, '', 0))).toStrictEqual(others.map(() => undefined));
  });

  it('is none with any other last character, also one that decodes to the same signature', () => {
    const key = keys.make(OWNER, '', 0);
    const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=+/';
    const others = Array.from(letters, (last) => key.slice(0, -1) + last);
    expect(others.filter((each) => keys.read(each, '', 0))).toStrictEqual([key]);
    expect(keys.read(`${key}=`, '', 0)).toBeUndefined();
  });

  it('stays valid while its master key unwraps', () => {
    const rotated = new FormKeys(() => [keyOf(2), keyOf(1)]);
    expect(rotated.read(keys.make(OWNER, '', 0), '', 0)).toMatchObject({ owner: OWNER });
  });

  it('cannot be sent without what its form asks', () => {
    const ask = { label: 'Erase', question: 'Nobody can read the data again.', word: 'rp-1' };
    const key = keys.make(OWNER, encodeAsk(ask), 0);
    expect([encodeAsk(ask), '', encodeAsk({ ...ask, word: 'x' })].map((asks) => keys.read(key, asks, 0)?.owner)).toStrictEqual([
      OWNER,
      undefined,
      undefined,
    ]);
    expect([decodeAsk(encodeAsk(ask)), decodeAsk('')]).toStrictEqual([ask, undefined]);
  });
});
