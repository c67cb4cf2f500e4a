/**
 * The charges that this process made and has yet to settle or refund. Without an Idempotency-Key, nothing but this process's memory tells
 * whether the response was sent; other instances therefore leave these charges alone while this process exists
 * (platform/database/instance-presence.ts).
 */
export class ChargesInHand {
  private readonly charges = new Map<string, 'pending' | 'responded'>();

  /** Call it before the charge is made. */
  take(lookupId: string): void {
    this.charges.set(lookupId, 'pending');
  }

  /** Records that the response was handed to the socket, so that the charge may not be refunded. */
  responded(lookupId: string): void {
    this.charges.set(lookupId, 'responded');
  }

  /** Call it once the charge is closed, or once it is certain that this process sends no response: then the sweep may refund it. */
  release(lookupId: string): void {
    this.charges.delete(lookupId);
  }

  state(lookupId: string): 'pending' | 'responded' | 'released' {
    return this.charges.get(lookupId) ?? 'released';
  }
}
