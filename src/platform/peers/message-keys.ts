import { createHmac, timingSafeEqual } from 'node:crypto';

/** Signs the messages between APIs, and verifies them, with keys that all APIs derive from their master keys. */
export class MessageKeys {
  /** @param keys returns the keys, the one to sign with first */
  constructor(private readonly keys: () => readonly Buffer[]) {}

  sign(message: Buffer): string {
    return hmac(this.keys()[0] ?? Buffer.alloc(0), message).toString('hex');
  }

  verify(message: Buffer, signature: string): boolean {
    const given = Buffer.from(signature, 'hex');
    return this.keys().some((key) => {
      const expected = hmac(key, message);
      return given.length === expected.length && timingSafeEqual(given, expected);
    });
  }
}

function hmac(key: Buffer, message: Buffer): Buffer {
  return createHmac('sha256', key).update(message).digest();
}
