import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** Returns a new signing secret: `whsec_` and the base64 of 32 random bytes (decisions, "Webhooks"). */
export function generateSigningSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

export interface Signed {
  readonly id: string;
  /** The exact bytes that are sent. */
  readonly body: string;
  /** Complete secrets with their prefix, the current one first, then those that were replaced within the last day. */
  readonly secrets: readonly string[];
  readonly now: Date;
}

/** Returns `X-Rupa-Signature` by the current secret (interface, section 6) and the Standard Webhooks headers, signed by all the secrets. */
export function signatureHeaders({ id, body, secrets, now }: Signed): Record<string, string> {
  const timestamp = String(Math.floor(now.getTime() / 1_000));
  const [current = ''] = secrets;
  const standard = secrets.map((secret) => {
    const key = secret.slice(PREFIX.length);
    return `v1,${createHmac('sha256', key, { encoding: 'base64' }).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return {
    'X-Rupa-Signature': createHmac('sha256', current).update(body).digest('hex'),
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': standard.join(' '),
  };
}
