import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** `whsec_` + base64 of 32 random bytes (decisions, "Webhooks"). */
export function generateSigningSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

export interface Signed {
  readonly id: string;
  /** The exact bytes that are sent. */
  readonly body: string;
  /** Whole secrets, the current one first; those after it were replaced within the last day. */
  readonly secrets: readonly string[];
  readonly now: Date;
}

/** Interface 6: `X-Rupa-Signature` by the current secret. Beside it the headers of Standard Webhooks, by every secret that still counts. */
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
