import { describe, expect, it } from '@jest/globals';
import { CallTickets } from './call-tickets.js';

const HOLDER = { role: 'admin', name: 'amina', fingerprint: '0a1b2c3d' } as const;

describe('a ticket of a call within the process', () => {
  it('is valid once', () => {
    const tickets = new CallTickets();
    const ticket = tickets.issue(HOLDER);
    expect([tickets.redeem(ticket), tickets.redeem(ticket)]).toStrictEqual([HOLDER, undefined]);
  });

  it('is the only value that is valid', () => {
    const tickets = new CallTickets();
    const ticket = tickets.issue(HOLDER);
    for (const other of [
      '',
      'Console ',
      'Console x',
      ticket.slice('Console '.length),
      `Bearer ${ticket}`,
      `${ticket} `,
      ticket.slice(0, -1),
    ])
      expect(tickets.redeem(other)).toBeUndefined();
    expect(tickets.redeem(ticket)).toStrictEqual(HOLDER);
  });

  it('differs from every other one', () => {
    const tickets = new CallTickets();
    expect(new Set(Array.from({ length: 100 }, () => tickets.issue(HOLDER))).size).toBe(100);
  });
});
