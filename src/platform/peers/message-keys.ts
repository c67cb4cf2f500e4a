import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';

/** A call or the response to it. The signature covers which of the two it is, so that neither passes for the other. */
export type MessageKind = 'call' | 'response';

/**
 * Signs the calls between APIs and the responses to them, and verifies them, with keys that all APIs derive from their master keys. A signature
 * also covers the id of the call, so that a response is valid for one call only.
 */
export class MessageKeys {
  /** @param keys returns the keys, the one to sign with first */
  constructor(private readonly keys: () => readonly KeyObject[]) {}

  /** @param callId names the call, and has no line break */
  sign(kind: MessageKind, callId: string, message: Buffer): string {
    const [current] = this.keys();
    if (!current) throw new Error('There is no key to sign with.');
    return hmac(current, kind, callId, message).toString('hex');
  }

  /** Compares in constant time. */
  verify(kind: MessageKind, callId: string, message: Buffer, signature: string): boolean {
    const given = Buffer.from(signature, 'hex');
    return this.keys().some((key) => {
      const expected = hmac(key, kind, callId, message);
      return given.length === expected.length && timingSafeEqual(given, expected);
    });
  }
}

function hmac(key: KeyObject, kind: MessageKind, callId: string, message: Buffer): Buffer {
  return createHmac('sha256', key).update(`${kind}\n${callId}\n`).update(message).digest();
}
