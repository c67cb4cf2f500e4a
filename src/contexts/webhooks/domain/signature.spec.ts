import { describe, expect, it } from '@jest/globals';
import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { generateSigningSecret, signatureHeaders } from './signature.js';

const signed = { id: 'e1', body: '{"id":"e1","text":"é"}', now: new Date() };

describe('signing', () => {
  it('makes secrets of 32 random bytes', () => {
    const secret = generateSigningSecret();
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(generateSigningSecret()).not.toBe(secret);
  });

  it('is verified by the stock library, with the old secret and the new', () => {
    const [current, previous] = [generateSigningSecret(), generateSigningSecret()];
    const headers = signatureHeaders({ ...signed, secrets: [current, previous] });
    for (const secret of [current, previous])
      expect(new Webhook(secret).verify(signed.body, headers)).toStrictEqual(JSON.parse(signed.body));
    expect(() => new Webhook(generateSigningSecret()).verify(signed.body, headers)).toThrow();
    expect(() => new Webhook(current).verify(`${signed.body} `, headers)).toThrow();
  });

  it('is verified by the rule of the interface, with the new secret alone', () => {
    const [current, previous] = [generateSigningSecret(), generateSigningSecret()];
    const headers = signatureHeaders({ ...signed, secrets: [current, previous] });
    expect(headers['X-Rupa-Signature']).toBe(createHmac('sha256', Buffer.from(current, 'utf8')).update(signed.body).digest('hex'));
  });
});
