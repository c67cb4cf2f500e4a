import { describe, expect, it } from '@jest/globals';
import { type FarmerReport } from '../../../contexts/farmers/subject-report/farmer-report-responses.dto.js';
import { partOf } from '../../page.js';
import { type Visit } from '../../screen.js';
import { farmerScreen } from './farmer-screen.js';

const visit = { person: { role: 'auditor' } } as Visit;
const AT = '2026-03-01T00:00:00.000Z';
const PARTNER = { partner_id: 'p', company_name: 'Sahel', account_type: 'bank' };

/** Returns the page of a farmer with so many consents, accesses and contributions, the newest first. */
function pageWith(count: number): string {
  const each = <T>(row: (index: number) => T): T[] => Array.from({ length: count }, (_none, index) => row(index));
  const report = {
    rupa_id: 'rp-1',
    mode: 'live',
    registered_at: AT,
    erased_at: null,
    consents: each((index) => ({ ...PARTNER, source: `consent-${index}.`, granted_at: AT, last_accessed_at: AT, access_count: 1 })),
    lookups: each((index) => ({ ...PARTNER, lookup_id: 'l', looked_up_at: AT, source: `access-${index}.`, sections: [], refunded: false })),
    reports: each((index) => ({ ...PARTNER, contribution_id: 7_000_000 + index, event: 'loan_disbursed', occurred_at: AT })),
  } as unknown as FarmerReport;
  return partOf(farmerScreen(visit, report).body);
}

describe('the page of a farmer', () => {
  it('shows everything of a farmer whom few have looked up', () => {
    const html = pageWith(200);
    for (const last of ['consent-199.', 'access-199.', '7000199']) expect(html).toContain(last);
    expect(html).not.toContain('are shown');
  });

  it('shows the newest of many, says how many there are, and where all of them are', () => {
    const html = pageWith(20_000);
    for (const [last, older] of [
      ['consent-199.', 'consent-200.'],
      ['access-199.', 'access-200.'],
      ['7000199', '7000200'],
    ] as const) {
      expect(html).toContain(last);
      expect(html).not.toContain(older);
    }
    expect(
      html.replaceAll(/<[^>]+>/g, '').match(/The newest 200 of 20,000 are shown\. GET \/admin\/v1\/farmers\/rp-1\/report has all\./g),
    ).toHaveLength(3);
  });
});
