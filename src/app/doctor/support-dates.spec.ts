import { describe, expect, it } from '@jest/globals';
import { eventStoreSupport, postgresSupport } from './support-dates.js';

const found = (findings: readonly { readonly found: string }[]): string[] => findings.map((finding) => finding.found);

describe('the doctor, about the support of a version,', () => {
  it('warns of a PostgreSQL from the day after its last fixes', () => {
    expect(postgresSupport(140_020, Date.parse('2026-11-12'))).toStrictEqual([]);
    expect(found(postgresSupport(140_020, Date.parse('2026-11-13')))).toStrictEqual(['the support of version 14 ended on 2026-11-12']);
    expect(postgresSupport(180_006, Date.parse('2026-11-13'))).toStrictEqual([]);
  });

  it('does not judge a PostgreSQL that it does not know', () => {
    expect(postgresSupport(310_000, Date.parse('2090-01-01'))).toStrictEqual([]);
  });

  it.each([
    ['24.6.0', '2026-07-01'],
    ['24.10.0', '2026-11-01'],
    ['23.10.2', '2025-11-01'],
    ['25.1.0', '2028-01-01'],
  ])('warns of an event store two years after its release: %s from %s', (version, from) => {
    expect(eventStoreSupport(version, Date.parse(from) - 1)).toStrictEqual([]);
    expect(found(eventStoreSupport(version, Date.parse(from)))).toStrictEqual([
      `version ${version} was released more than 2 years ago, and its vendor supports it no longer`,
    ]);
  });

  it('does not judge an event store whose version has another form', () => {
    for (const version of ['', 'unknown', '6']) expect(eventStoreSupport(version, Date.parse('2090-01-01'))).toStrictEqual([]);
  });
});
