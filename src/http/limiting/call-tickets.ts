import { Injectable } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { type TokenHolder } from '../authenticating/admin-tokens.js';

const TICKET_BYTES = 32;
const SCHEME = 'Console';

/**
 * Authenticates the calls that the console makes to the admin interface within this process, for the person who is signed in. A ticket is
 * valid for one call, and never leaves the process.
 */
@Injectable()
export class CallTickets {
  private readonly issued = new Map<string, TokenHolder>();

  /** Returns the value of the header Authorization for one call of this person. */
  issue(holder: TokenHolder): string {
    const ticket = randomBytes(TICKET_BYTES).toString('base64url');
    this.issued.set(ticket, holder);
    return `${SCHEME} ${ticket}`;
  }

  /** Returns the person of a ticket that was not used before. @param authorization value of the header Authorization */
  redeem(authorization: string): TokenHolder | undefined {
    if (!authorization.startsWith(`${SCHEME} `)) return undefined;
    const ticket = authorization.slice(SCHEME.length + 1);
    const holder = this.issued.get(ticket);
    this.issued.delete(ticket);
    return holder;
  }
}
