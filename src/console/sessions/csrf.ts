import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';

/** Makes and checks the token that every form of a session contains (docs/console.md, "Security"). */
export class CsrfTokens {
  /** @param keys returns the keys, the current one first; tokens of older ones stay valid */
  constructor(private readonly keys: () => readonly KeyObject[]) {}

  of(sessionId: string): string {
    return this.tokens(sessionId)[0] ?? '';
  }

  matches(sessionId: string, sent: string): boolean {
    const presented = Buffer.from(sent);
    const matching = this.tokens(sessionId)
      .map((token) => Buffer.from(token))
      .filter((token) => token.length === presented.length && timingSafeEqual(token, presented));
    return matching.length > 0;
  }

  private tokens(sessionId: string): readonly string[] {
    return this.keys().map((key) => createHmac('sha256', key).update(`csrf ${sessionId}`).digest('base64url'));
  }
}
