import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Codec } from '../platform/event-sourcing/coding/codec.js';
import { type StoredEvent } from '../platform/event-sourcing/recorded-event.js';
import { type DataKeys } from '../platform/key-store/data-keys.js';
import { eventCatalogue } from './event-catalogue.js';

const codec = new Codec(eventCatalogue, {} as DataKeys);
const by = { recorded_at: '2026-11-21T10:00:00.000Z', actor: 'a' };
const activated = {
  id: 'e-1',
  stream: 'partner-p-1',
  revision: 0n,
  position: 7n,
  type: 'PartnerActivated',
  data: { partner_id: 'p-1', ...by },
  metadata: { $correlationId: 'c', schema_version: 1 },
} as const;
const credit = { partner_id: 'p-1', ...by, balance_after_kobo: 1, open_from_revision: null, amount_kobo: 1, reference: 'r' };
const credited = {
  ...activated,
  stream: 'wallet-p-1',
  type: 'WalletCredited',
  data: credit,
  metadata: { ...activated.metadata, hash: 'a'.repeat(64) },
};
const reasonOf = (event: object): string | undefined => codec.sort([event as StoredEvent]).unusable[0]?.reason;

describe('the event catalogue', () => {
  it('takes the events that the service writes', () => {
    expect([activated, credited].map(reasonOf)).toStrictEqual([undefined, undefined]);
  });

  it.each([
    ['of an unknown type', { ...activated, type: 'OperatorNote' }, 'its type is unknown to this release'],
    ['whose type is a name of every object', { ...activated, type: 'constructor' }, 'its type is unknown to this release'],
    ['whose data is no JSON', { ...activated, data: '{' }, 'its data is not a JSON object'],
    ['whose data is a list', { ...activated, data: [] }, 'its data is not a JSON object'],
    ['without metadata', { ...activated, metadata: undefined }, 'its metadata is not that of an event of this service'],
    [
      'of a later version',
      { ...activated, metadata: { ...activated.metadata, schema_version: 9 } },
      'its version 9 is later than this release knows',
    ],
    ['without a field', { ...activated, data: by }, 'its field partner_id is missing or has a value of the wrong kind'],
    ['of another stream', { ...activated, stream: 'partner-p-2' }, 'it belongs into another stream'],
    ['of another category', { ...activated, stream: 'wallet-p-1' }, 'it belongs into another stream'],
    ['of a wallet without a hash', { ...credited, metadata: activated.metadata }, 'it has no hash, which every event of its stream has'],
    [
      'with a personal field in plain text',
      {
        ...activated,
        stream: 'farmer-rp-1',
        type: 'CreditScoreChanged',
        data: { rupa_id: 'rp-1', ...by, credit_score: 700 },
      },
      'its field credit_score is missing or has a value of the wrong kind',
    ],
  ])('sets an event aside %s', (_name, event, reason) => {
    expect(reasonOf(event)).toBe(reason);
  });

  it('passes over every event in streams of others, whatever it is', () => {
    for (const stream of ['scratch-1', 'scratch', '-', 'wallets-p-1'])
      expect(codec.sort([{ ...credited, stream }])).toMatchObject({ usable: [], unusable: [], foreign: 1 });
  });

  it('tells any event of any shape apart without failing', () => {
    const types = fc.oneof(fc.constantFrom(...Object.keys(eventCatalogue)), fc.string());
    const streams = fc.oneof(fc.constantFrom('partner-p-1', 'wallet-p-1', 'farmer-rp-1', 'ids-main', 'webhook-1'), fc.string());
    fc.assert(
      fc.property(types, streams, fc.jsonValue(), fc.jsonValue(), (type, stream, data, metadata) => {
        const { usable, unusable, foreign } = codec.sort([{ ...activated, type, stream, data, metadata } as unknown as StoredEvent]);
        expect(usable.length + unusable.length + foreign).toBe(1);
      }),
    );
  });
});
