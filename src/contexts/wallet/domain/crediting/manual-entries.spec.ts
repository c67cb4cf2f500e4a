import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { commandBase, credited, debited, settled } from '../../../../../test/support/unit/wallet-decisions.js';
import { given } from '../../../../../test/support/unit/given.js';
import { withManualHashes } from '../../../../../test/support/unit/given-wallet.js';
import { searchedTo } from '../../../../../test/support/unit/searched-entries.js';
import { runWallet, walletCommands } from '../../../../../test/support/unit/wallet-history.js';
import { indexableText } from '../../../../platform/database/postgres-text.js';
import { type WalletEvent } from '../events.js';
import { hashOfManual, isManualEvent, manualEntryOf } from './manual-entries.js';
import { walletDecider } from '../wallet.js';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

describe('the hash of manual entries', () => {
  const credit = { type: 'WalletCredited' as const, revision: 0, reference: 'r1', credit_reference: null, lookup_id: null };
  const reversal = { ...credit, type: 'CreditReversed' as const, revision: 7, reference: 'v1', credit_reference: 'r1' };

  it('covers each one with the hash of those before it, as docs/adr/0069 says', () => {
    const none = '0'.repeat(64);
    const first = sha256(`${none}\n[0,"WalletCredited","r1",null,null]`);
    expect(hashOfManual([])).toBe(none);
    expect(hashOfManual([credit])).toBe(first);
    expect(hashOfManual([credit, reversal])).toBe(sha256(`${first}\n[7,"CreditReversed","v1","r1",null]`));
  });

  it('is the same of an event and of its row, whatever the reference is', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary', maxLength: 600 }), fc.constant('x'.repeat(2_000))), (reference) => {
        const row = { ...credit, reference: indexableText(reference) };
        expect(hashOfManual([{ ...credit, reference }])).toBe(hashOfManual([row]));
      }),
    );
  });

  it('is recorded by every manual entry and by no other, in any history', () => {
    fc.assert(
      fc.property(walletCommands(), (commands) => {
        const { events } = runWallet(commands);
        const before: (typeof events)[number][] = [];
        for (const event of events) {
          const expected = hashOfManual(before.filter(isManualEvent).map(manualEntryOf));
          const recorded = isManualEvent(event) ? event.data.manual_entries_hash : undefined;
          expect([event.type, recorded, 'manual_entries_hash' in event.data]).toStrictEqual([
            event.type,
            isManualEvent(event) ? expected : undefined,
            isManualEvent(event),
          ]);
          before.push(event);
        }
      }),
    );
  });
});

describe('a manual entry after others', () => {
  const [first, second] = withManualHashes([credited, { ...credited, data: { ...credited.data, reference: 'r2' } }]) as [
    WalletEvent,
    WalletEvent,
  ];
  const credit = { ...commandBase, kind: 'credit' as const, amount_kobo: 1, reference: 'r3' };
  const searched = { ...searchedTo(5n), manual_entries_hash: 'that of the search' };

  it('records what the state has folded, however far its caller has searched', () => {
    const { state } = given(walletDecider, [first, second]);
    const expected = hashOfManual([first, second].map((event, index) => manualEntryOf({ ...event, revision: BigInt(index) } as never)));
    for (const to of [-1n, 0n, 1n])
      expect(walletDecider.decide({ ...credit, ...searchedTo(to) }, state)).toMatchObject([{ data: { manual_entries_hash: expected } }]);
  });

  it('records the hash of the search if the state has folded none of them', () => {
    const state = [debited, settled].reduce(
      (folded, event, index) => walletDecider.evolve(folded, { ...event, revision: BigInt(5 + index) }),
      walletDecider.initialState,
    );
    expect(walletDecider.decide({ ...credit, ...searched }, state)).toMatchObject([
      { data: { manual_entries_hash: 'that of the search' } },
    ]);
  });

  it('is searched again if an earlier release has recorded another one since the search', () => {
    const state = walletDecider.evolve(walletDecider.initialState, { ...credited, revision: 6n });
    expect(() => walletDecider.decide({ ...credit, ...searched }, state)).toThrow('credit_history_moved');
    expect(walletDecider.decide({ ...credit, ...searched, checked_to_revision: 6n }, state)).toMatchObject([
      { data: { manual_entries_hash: 'that of the search' } },
    ]);
  });
});
