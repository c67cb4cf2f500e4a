import { describe, expect, it } from '@jest/globals';
import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { generateSigningSecret, signatureHeaders } from './signature.js';

const signed = { id: 'e1', body: '{"id":"e1","text":"é"}', now: new Date() };

describe('webhook signing', () => {
  it('generates secrets of 32 random bytes', () => {
    const secret = generateSigningSecret();
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(generateSigningSecret()).not.toBe(secret);
  });

  it('gives headers that the Standard Webhooks library verifies with the current and the replaced secret', () => {
    const [current, previous] = [generateSigningSecret(), generateSigningSecret()];
    const headers = signatureHeaders({ ...signed, secrets: [current, previous] });
    for (const secret of [current, previous])
      expect(new Webhook(secret).verify(signed.body, headers)).toStrictEqual(JSON.parse(signed.body));
    expect(() => new Webhook(generateSigningSecret()).verify(signed.body, headers)).toThrow();
    expect(() => new Webhook(current).verify(`${signed.body} `, headers)).toThrow();
  });

  it('keys X-Rupa-Signature with the current secret only', () => {
    const [current, previous] = [generateSigningSecret(), generateSigningSecret()];
    const headers = signatureHeaders({ ...signed, secrets: [current, previous] });
    expect(headers['X-Rupa-Signature']).toBe(createHmac('sha256', Buffer.from(current, 'utf8')).update(signed.body).digest('hex'));
  });
});
