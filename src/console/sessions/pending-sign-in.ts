import { type PendingSignIn } from './open-id-provider.js';

/** Minutes in which a person must sign in at the provider. */
export const PENDING_MINUTES = 10;

/** First letters of the cookie's value. The cookie of a session is signed with the same key, and must not pass for a pending sign-in. */
const PREFIX = 'pending:';
const MINUTE_MS = 60_000;

/** A pending sign-in as the cookie contains it. */
interface Kept extends PendingSignIn {
  /** Milliseconds since 1970. */
  readonly until: number;
}

/** Returns the value of the cookie for a sign-in that begins at `now` (milliseconds since 1970). It must be signed. */
export function keptValue(pending: PendingSignIn, now: number): string {
  const kept: Kept = { ...pending, until: now + PENDING_MINUTES * MINUTE_MS };
  return PREFIX + Buffer.from(JSON.stringify(kept)).toString('base64url');
}

/** Returns the pending sign-in of a cookie whose signature is right; undefined after its time, and for a cookie of another purpose. */
export function pendingIn(value: string, now: number): PendingSignIn | undefined {
  if (!value.startsWith(PREFIX)) return undefined;
  const { until, ...pending } = JSON.parse(Buffer.from(value.slice(PREFIX.length), 'base64url').toString()) as Kept;
  return now < until ? pending : undefined;
}
