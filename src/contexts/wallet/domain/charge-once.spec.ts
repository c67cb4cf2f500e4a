import { describe, it } from '@jest/globals';
import { given } from '../../../../test/support/unit/given.js';
import { at, charge, credited, debited, recorded, settled } from '../../../../test/support/unit/wallet-decisions.js';
import { keyedId } from '../../../kernel/keyed-id.js';
import { type WalletEvent } from './events.js';
import { addKeys, NO_KEYS } from './settled-keys.js';
import { walletDecider } from './wallet.js';
import { chargeOf } from '../../../../test/support/unit/charge-of.js';

const idOf = (key: string, nth: number): string => keyedId(key.repeat(13), `0d9cbb1e-0000-4000-8000-00000000000${nth}`);
const [first, second] = [idOf('a', 1), idOf('a', 2)];
const debit: WalletEvent = { ...debited, data: { ...debited.data, lookup_id: first } };
const settlement: WalletEvent = { ...settled, data: { ...settled.data, charges: [{ lookup_id: first, debit_revision: 1 }] } };
const { rupa_id, amount_kobo } = debited.data;
const refund: WalletEvent = {
  type: 'RefundIssued',
  data: { ...recorded, balance_after_kobo: 1_000_00, lookup_id: first, debit_revision: 1, rupa_id, amount_kobo, reason: 'no_response' },
};
const again = { ...charge, lookup_id: second };
const charged: WalletEvent = { ...debited, data: { ...debited.data, actor: charge.actor, lookup_id: second } };

describe('a charge with an Idempotency-Key', () => {
  it('is made once: a settled charge has the key', () => {
    given(walletDecider, [credited, debit, settlement]).when(chargeOf(again)).thenRejected('response_lost');
  });

  it('waits for the open charge with the key', () => {
    given(walletDecider, [credited, debit]).when(chargeOf(again)).thenRejected('key_in_use');
  });

  it('is made once, whatever the master key was: ids that the key had before count', () => {
    const other = { ...chargeOf({ ...again, lookup_id: idOf('c', 1) }), former_ids: [idOf('b', 2), second] };
    given(walletDecider, [credited, debit]).when(other).thenRejected('key_in_use');
    given(walletDecider, [credited, debit, settlement]).when(other).thenRejected('response_lost');
    given(walletDecider, [credited, debit, refund])
      .when(other)
      .then([{ ...charged, data: { ...charged.data, lookup_id: idOf('c', 1) } }]);
  });

  it('is made after the charge with the key was refunded', () => {
    given(walletDecider, [credited, debit, refund]).when(chargeOf(again)).then([charged]);
  });

  it('is made again when the key’s day is over, and with another key', () => {
    const yesterday: WalletEvent = { ...debited, data: { ...debited.data, lookup_id: first, recorded_at: '2026-11-20T10:00:00.000Z' } };
    given(walletDecider, [credited, yesterday, settlement])
      .when(chargeOf(again))
      .then([{ ...charged, data: { ...charged.data, balance_after_kobo: 800_00 } }]);
    const lookup_id = idOf('b', 1);
    given(walletDecider, [credited, debit, settlement])
      .when(chargeOf({ ...again, lookup_id }))
      .then([{ ...charged, data: { ...charged.data, lookup_id, balance_after_kobo: 800_00 } }]);
  });

  it('needs the keys of the entries before the state', () => {
    const state = walletDecider.evolve(walletDecider.initialState, { ...credited, revision: 10n });
    const decide = (before: bigint, lookupIds: readonly string[]) =>
      given({ ...walletDecider, initialState: state }, []).when(
        chargeOf({ ...again, earlier_keys: { before, keys: addKeys(NO_KEYS, lookupIds, at) } }),
      );
    decide(9n, []).thenRejected('key_history_moved', { before: 10n });
    decide(10n, [first]).thenRejected('response_lost');
    decide(10n, []).then([charged]);
  });

  it('needs nothing of the kind without a key', () => {
    const state = walletDecider.evolve(walletDecider.initialState, { ...credited, revision: 10n });
    given({ ...walletDecider, initialState: state }, [])
      .when(chargeOf(charge))
      .then([{ ...charged, data: { ...charged.data, lookup_id: charge.lookup_id } }]);
  });
});
