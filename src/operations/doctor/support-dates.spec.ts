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
    ['22.10.5', '22.10', '2024-11-01'],
    ['23.10.2', '23.10', '2025-11-01'],
    ['24.6.0', '24.6', '2024-10-01'],
    ['24.10.0', '24.10', '2026-11-01'],
    ['25.0.1', '25.0', '2025-10-21'],
    ['25.1.0', '25.1', '2026-01-26'],
  ])('warns of an event store once its support has ended: %s (%s) from %s', (version, release, from) => {
    expect(eventStoreSupport(version, Date.parse(from) - 1)).toStrictEqual([]);
    expect(found(eventStoreSupport(version, Date.parse(from)))).toStrictEqual([
      `the vendor’s support of version ${release} ended on ${from}`,
    ]);
  });

  it('does not judge an event store whose version has another form, or whose end of support is not published', () => {
    for (const version of ['', 'unknown', '6', '26.0.0', '26.1.0', '27.0.0'])
      expect(eventStoreSupport(version, Date.parse('2090-01-01'))).toStrictEqual([]);
  });
});
