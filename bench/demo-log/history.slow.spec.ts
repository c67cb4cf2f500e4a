import { describe, expect, it } from '@jest/globals';
import { chainHash, GENESIS_HASH } from '../../src/platform/event-sourcing/stream-kind.js';
import { type NewEvent } from '../../src/platform/event-sourcing/recorded-event.js';
import { REPORTABLE_ACTIVITIES } from '../../src/kernel/accounts.js';
import { type Contribution } from '../../src/contexts/reports/domain/events.js';
import { type ChargeReference, type WalletEvent } from '../../src/contexts/wallet/domain/events.js';
import { history } from './history.js';

const nameOf = (partnerId: string, reference: string): string => `${partnerId.slice(0, 8)}+${reference}`;

/** Enough for events of every type. */
const EVENTS = 5_000;

interface GeneratedHistory {
  readonly streams: ReadonlyMap<string, readonly NewEvent[]>;
  readonly events: readonly NewEvent[];
}

/** Generates a history and collects its events by stream. */
function generate(events: number, seed: number): GeneratedHistory {
  const streams = new Map<string, NewEvent[]>();
  for (const round of history({ events, seed, nameOf })) {
    for (const append of round.appends.values()) {
      const stream = streams.get(append.stream) ?? [];
      expect(append.expectedRevision).toBe(BigInt(stream.length) - 1n);
      stream.push(...append.events);
      streams.set(append.stream, stream);
    }
  }
  return { streams, events: [...streams.values()].flat() };
}

const withoutIds = ({ streams }: GeneratedHistory) =>
  [...streams].map(([stream, events]) => [stream, events.map(({ id: _id, ...event }) => event)]);
const generated = generate(EVENTS, 1);
const wallets = [...generated.streams].filter(([stream]) => stream.startsWith('wallet-'));
const ofType = (type: string): readonly NewEvent[] => generated.events.filter((event) => event.type === type);

describe('a history', () => {
  it('is the same for the same seed, and differs for another seed', () => {
    expect(withoutIds(generate(EVENTS, 1))).toStrictEqual(withoutIds(generated));
    expect(withoutIds(generate(1_000, 2))).not.toStrictEqual(withoutIds(generate(1_000, 1)));
  });

  it('has the requested number of events, of every type', () => {
    expect(generated.events.length).toBeGreaterThanOrEqual(EVENTS);
    expect(generated.events.length).toBeLessThan(EVENTS + 200);
    for (const type of [
      'PartnerRegistered',
      'PartnerActivated',
      'OptionalSectionsChanged',
      'ApiKeyIssued',
      'PriceBookPublished',
      'IdsReserved',
      'FarmerRegistered',
      'FarmerErased',
      'FarmerSectionUpdated',
      'CreditScoreChanged',
      'WalletCredited',
      'WalletDebited',
      'ConsentGranted',
      'ChargesSettled',
      'RefundIssued',
      'ConsentReleased',
      'ContributionRecorded',
      'ContributionUpdated',
      'WebhookRegistered',
      'WebhookDisabled',
    ])
      expect([type, ofType(type).length]).not.toStrictEqual([type, 0]);
    expect(ofType('FarmerRegistered').length * 20).toBeGreaterThan(0.7 * EVENTS);
    expect(ofType('FarmerRegistered').length * 20).toBeLessThan(1.3 * EVENTS);
  });

  it('uses every event id and every integer id once, and only reserved integer ids', () => {
    expect(new Set(generated.events.map(({ id }) => id)).size).toBe(generated.events.length);
    const ids = ofType('ContributionRecorded').map(({ data }) => (data as unknown as Contribution).contribution_id);
    expect(new Set(ids).size).toBe(ids.length);
    const reserved = (generated.streams.get('ids-main') ?? []).at(-1)?.data.last_ids as Record<string, number>;
    expect(Math.max(...ids)).toBeLessThanOrEqual(reserved.contribution ?? 0);
    expect(ofType('WebhookRegistered').length).toBe(reserved.endpoint);
  });

  it.each(wallets)('conserves the money of %s, closes every charge once, and has a valid hash chain', (stream, events) => {
    let [balance, hash, at] = [0, GENESIS_HASH, ''];
    const open = new Map<string, number>();
    const close = ({ lookup_id, debit_revision }: ChargeReference): void => {
      expect(open.get(lookup_id)).toBe(debit_revision);
      open.delete(lookup_id);
    };
    for (const [revision, placed] of events.entries()) {
      const { type, data } = placed as unknown as WalletEvent;
      if (type === 'WalletCredited' || type === 'RefundIssued') balance += data.amount_kobo;
      if (type === 'RefundIssued') close(data);
      if (type === 'ChargesSettled') data.charges.forEach(close);
      if (type === 'WalletDebited') {
        expect(Object.values(data.breakdown_kobo).reduce((sum, fee) => sum + fee, 0)).toBe(data.amount_kobo);
        balance -= data.amount_kobo;
        open.set(data.lookup_id, revision);
      }
      expect(data.balance_after_kobo).toBe(balance);
      expect(balance).toBeGreaterThanOrEqual(0);
      expect(data.recorded_at >= at).toBe(true);
      hash = chainHash(hash, stream, BigInt(revision), type, data);
      expect(placed.metadata.hash).toBe(hash);
      at = data.recorded_at;
    }
    expect(open.size).toBe(0);
  });

  it('has small and large wallets', () => {
    const sizes = wallets.map(([, events]) => events.length).sort((one, other) => other - one);
    expect(sizes[0]).toBeGreaterThan(10 * (sizes[Math.floor(sizes.length * 0.75)] ?? 0));
  });

  it('reports only activities that the partner may report, of registered farmers', () => {
    const farmers = new Set(ofType('FarmerRegistered').map(({ data }) => data.rupa_id));
    for (const [stream, events] of generated.streams) {
      if (!stream.startsWith('contribution-')) continue;
      for (const { data } of events) {
        const { partner_id, partner_reference, account_type, event, rupa_id, amount_minor } = data as unknown as Contribution;
        if (partner_reference !== null) expect(stream).toBe(`contribution-${partner_id}-${nameOf(partner_id, partner_reference)}`);
        else expect(stream).toMatch(/-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
        expect(REPORTABLE_ACTIVITIES[account_type]).toContain(event);
        expect(farmers).toContain(rupa_id);
        expect(amount_minor === null || Number.isSafeInteger(amount_minor)).toBe(true);
      }
    }
    const repayments = ofType('ContributionRecorded')
      .map(({ data }) => data as unknown as Contribution)
      .filter(({ event }) => event === 'loan_repayment');
    const loans = new Set(ofType('ContributionRecorded').map(({ data }) => `${String(data.partner_id)} ${String(data.partner_reference)}`));
    for (const { partner_id, payload } of repayments)
      if (payload) expect(loans).toContain(`${partner_id} ${String(payload.loan_reference)}`);
    expect(ofType('ContributionUpdated').some(({ data }) => data.previous_rupa_id !== data.rupa_id)).toBe(true);
  });

  it('has no new lookups or reports of a farmer in the round of the erasure and later', () => {
    const erasedFarmers = new Set<unknown>();
    for (const round of history({ events: EVENTS, seed: 1, nameOf })) {
      const events = [...round.appends.values()].flatMap((append) => append.events);
      const erased = events.filter(({ type }) => type === 'FarmerErased').map(({ data }) => data.rupa_id);
      for (const each of erased) erasedFarmers.add(each);
      const closing = ['FarmerErased', 'ChargesSettled', 'RefundIssued', 'ConsentReleased'];
      expect(
        events.filter(({ type, data }) => erasedFarmers.has(data.rupa_id) && !closing.includes(type)).map(({ type }) => type),
      ).toStrictEqual([]);
    }
    expect(erasedFarmers.size).toBeGreaterThan(0);
  });

  it('releases only consents that were granted', () => {
    for (const {
      data: { partner_id, rupa_id, granted_revision },
    } of ofType('ConsentReleased')) {
      const debit = generated.streams.get(`wallet-${String(partner_id)}`)?.[Number(granted_revision)];
      expect([debit?.type, debit?.data.rupa_id]).toStrictEqual(['WalletDebited', rupa_id]);
    }
  });

  it('leaves no endpoint enabled', () => {
    const last = [...generated.streams].filter(([stream]) => stream.startsWith('webhook-')).map(([, events]) => events.at(-1)?.type ?? '');
    expect(last.length).toBeGreaterThan(0);
    for (const type of last) expect(['WebhookDisabled', 'WebhookDeleted']).toContain(type);
  });
});
