import { createHmac } from 'node:crypto';
import { type ListedEvent } from '../calls/events.js';
import { signWebhook } from '../verify-webhook.js';
import { type Terminal } from './terminal.js';

/** The service waits as long for a response. */
const TIME_LIMIT_MS = 15_000;

/**
 * Returns the signing secret for local deliveries. It depends on the API key alone, so that the receiver is set up once, and `resend` signs as
 * `listen` does. It reveals nothing of the key.
 */
export function localSigningSecret(apiKey: string): string {
  return `whsec_${createHmac('sha256', apiKey).update('rupa-client local deliveries').digest('base64')}`;
}

export interface Receiver {
  readonly address: string;
  readonly secret: string;
}

/** Posts an event as the service would, and prints a line with the receiver's response. Returns whether it was a 2xx. */
export async function forward(event: ListedEvent, { address, secret }: Receiver, { print, fetch, signal }: Terminal): Promise<boolean> {
  const body = JSON.stringify(event);
  const began = performance.now();
  const signed = await signWebhook(event.id, body, secret, new Date());
  const subject = 'rupa_id' in event.data ? ` ${event.data.rupa_id}` : '';
  const show = (outcome: string): void => {
    print(
      `${new Date().toISOString()}  ${event.type}${subject}  ${event.id}  ->  ${outcome} (${Math.round(performance.now() - began)} ms)`,
    );
  };
  const limited = new AbortController();
  const abort = (): void => {
    limited.abort();
  };
  const timer = setTimeout(abort, TIME_LIMIT_MS);
  signal.addEventListener('abort', abort);
  try {
    const response = await fetch(address, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'User-Agent': 'Rupa-Webhooks/1', ...signed },
      body,
      redirect: 'manual',
      signal: limited.signal,
    });
    await response.body?.cancel();
    show(`${response.status} ${response.statusText}`.trim());
    return response.ok;
  } catch (error) {
    signal.throwIfAborted();
    const { message, cause } = error as Error;
    const reason = cause instanceof Error ? cause.message : message;
    show(limited.signal.aborted ? 'no response in time' : `no response: ${reason}`);
    return false;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}
