import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { chained } from '../../../../test/support/unit/chained.js';
import { leaves, mutated } from '../../../../test/support/unit/mutations.js';
import { ANY_PRICES, runWallet, walletCommands } from '../../../../test/support/unit/wallet-history.js';
import { type ChainedEntry, parseChainHead, type WalletVerification, WalletVerifier } from './verify-wallet.js';

const NOW = '2026-11-21T10:00:59.000Z';

function verify(entries: readonly ChainedEntry[]): WalletVerification {
  const verifier = new WalletVerifier('wallet-p1', ANY_PRICES);
  for (const each of entries) if (!verifier.add(each)) break;
  return verifier.result(NOW);
}

/** Numbers that no entry of the wallet says a second time, and the rate of VAT, which the prices say. */
const GIVEN = ['price_book_version', 'vat_percent', 'bank_fee_kobo', 'withheld_tax_kobo'];

describe('the verification of any wallet history', () => {
  const history = walletCommands()
    .map((commands) => chained(runWallet(commands).events))
    .filter((entries) => entries.length > 0);

  it('passes if the history is as the wallet recorded it', () => {
    fc.assert(
      fc.property(history, (entries) => {
        expect(verify(entries)).toMatchObject({ ok: true, entries: entries.length, fault: null });
      }),
    );
  });

  it('fails exactly at the first entry whose date differs by more than five minutes from the time at which it was recorded', () => {
    const difference = fc.oneof(
      fc.integer({ min: -300_001, max: 300_001 }),
      fc.constantFrom(undefined, 300_000, -300_000, 300_001, -300_001),
    );
    fc.assert(
      fc.property(history, fc.infiniteStream(difference), (entries, differences) => {
        const drawn = [...differences.take(entries.length)];
        const timed = entries.map((each, index) => {
          const ms = drawn[index];
          return ms === undefined ? each : { ...each, createdMs: Date.parse(String(each.data?.recorded_at)) + ms };
        });
        const first = drawn.findIndex((ms) => Math.abs(ms ?? 0) > 300_000);
        const expected = first < 0 ? { ok: true } : { ok: false, entries: first, fault: { revision: first, rule: 'time' } };
        expect(verify(timed)).toMatchObject(expected);
      }),
    );
  });

  it('fails at the changed entry if any field is changed, left out or added', () => {
    fc.assert(
      fc.property(history, fc.nat(), fc.nat(), fc.constantFrom('change', 'leave out', 'add'), (entries, which, where, how) => {
        const changed = [...entries];
        const index = which % entries.length;
        const original = entries[index];
        if (!original) return;
        changed[index] = mutated(original, where, how);
        expect(verify(changed).fault?.revision).toBe(index);
      }),
      { numRuns: 500 },
    );
  });

  it('passes if earlier releases recorded some entries without the hash of the manual ones before, and fails at the first with another', () => {
    fc.assert(
      fc.property(history, fc.infiniteStream(fc.constantFrom('kept', 'kept', 'left out', 'another')), (entries, fates) => {
        const drawn = [...fates.take(entries.length)];
        const events = entries.map(({ type, data }, index) => {
          if (drawn[index] === 'kept' || data?.manual_entries_hash === undefined) return { type, data: data ?? {} };
          const { manual_entries_hash: _hash, ...rest } = data;
          return { type, data: drawn[index] === 'left out' ? rest : { ...rest, manual_entries_hash: 'ab'.repeat(32) } };
        });
        const first = events.findIndex(({ data }) => 'manual_entries_hash' in data && data.manual_entries_hash === 'ab'.repeat(32));
        const expected = first < 0 ? { ok: true } : { ok: false, entries: first, fault: { revision: first, rule: 'manual_entries' } };
        expect(verify(chained(events))).toMatchObject(expected);
      }),
    );
  });

  it('fails if any number that follows from others is changed, even if all hashes are recomputed', () => {
    fc.assert(
      fc.property(history, fc.nat(), fc.nat(), fc.integer({ min: 1, max: 1_000 }), (entries, which, where, by) => {
        const events = entries.map(({ type, data }) => ({ type, data }));
        const index = which % events.length;
        const data: Record<string, unknown> = structuredClone(events[index]?.data ?? {});
        const numbers = leaves(data).filter(({ key, holder }) => typeof holder[key] === 'number' && !GIVEN.includes(key));
        const leaf = numbers[where % numbers.length];
        if (leaf) leaf.holder[leaf.key] = Number(leaf.holder[leaf.key]) + by;
        events[index] = { type: events[index]?.type ?? '', data };
        expect(verify(chained(events)).ok).toBe(false);
      }),
      { numRuns: 500 },
    );
  });
});

describe('parseChainHead', () => {
  const hash = 'ab'.repeat(32);

  it('reads REVISION:HASH', () => {
    expect(parseChainHead(`17:${hash}`)).toStrictEqual({ revision: 17, hash });
    expect(parseChainHead(` 0:${hash.toUpperCase()} `)).toStrictEqual({ revision: 0, hash });
  });

  it.each(['', '17', hash, `17:${hash}0`, `-1:${hash}`, `1.5:${hash}`, `9999999999999999:${hash}`, `17:${'zz'.repeat(32)}`])(
    'refuses %j',
    (text) => {
      expect(parseChainHead(text)).toBeUndefined();
    },
  );
});
