import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createHash, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto';
import { isSigned, sha256 } from './browser-crypto.js';

const text = fc.string({ unit: 'binary', maxLength: 300 });
const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const raw = (key: KeyObject): Uint8Array => key.export({ format: 'der', type: 'spki' }).subarray(-32);

describe('the functions that replace those of Node in a browser', () => {
  it('hash texts and bytes as node:crypto does', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(text, fc.uint8Array({ maxLength: 300 }))), (parts) => {
        const hash = createHash('sha256');
        for (const part of parts) hash.update(part);
        expect(Buffer.from(sha256(...parts)).toString('hex')).toBe(hash.digest('hex'));
      }),
    );
  });

  it('accept the signatures that node:crypto makes', () => {
    fc.assert(
      fc.property(text, (message) => {
        expect(isSigned(raw(publicKey), message, sign(null, Buffer.from(message), privateKey))).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  it('refuse every signature, text and key with a changed bit that node:crypto refuses', () => {
    fc.assert(
      fc.property(text, fc.constantFrom('signature', 'message', 'key'), fc.nat(511), (message, changed, bit) => {
        const parts = { signature: sign(null, Buffer.from(message), privateKey), message: `${message}.`, key: Buffer.from(raw(publicKey)) };
        const asSigned = changed === 'message' ? parts.message : message;
        const bytes = changed === 'key' ? parts.key : parts.signature;
        if (changed !== 'message') bytes[(bit >> 3) % bytes.length] = (bytes[(bit >> 3) % bytes.length] ?? 0) ^ (1 << (bit & 7));
        const der = Buffer.concat([publicKey.export({ format: 'der', type: 'spki' }).subarray(0, -32), parts.key]);
        const asNode = verify(null, Buffer.from(asSigned), { key: der, format: 'der', type: 'spki' }, parts.signature);
        expect(isSigned(parts.key, asSigned, parts.signature)).toBe(asNode);
        expect(asNode).toBe(false);
      }),
      { numRuns: 100 },
    );
  });

  it('refuse the same key and signature for a number that is not reduced, as node:crypto does', () => {
    const signature = sign(null, Buffer.from('text'), privateKey);
    const order = 2n ** 252n + 27742317777372353535851937790883648493n;
    let s = BigInt(`0x${Buffer.from(signature.subarray(32)).reverse().toString('hex')}`) + order;
    for (let at = 32; at < 64; at += 1, s >>= 8n) signature[at] = Number(s & 255n);
    expect(verify(null, Buffer.from('text'), publicKey, signature)).toBe(false);
    expect(isSigned(raw(publicKey), 'text', signature)).toBe(false);
  });
});
