import { type Contribution, type ContributionEvent, subjectOf } from '../../src/contexts/reports/domain/events.js';
import { knownPayload } from '../../src/contexts/reports/domain/payload.js';
import { type FarmerEvent } from '../../src/contexts/farmers/domain/events.js';
import { ignored, projection, type WithoutMac } from '../../src/platform/projecting/projection.js';
import { farmerReports } from '../farmer-reports/farmer-reports.derivation.js';
import { type ContributionRow, table } from './contribution-table.js';

type Report = WithoutMac<ContributionRow>;

type ReportData = ContributionEvent['data'];

function row(data: ReportData, recorded_at: string): Report {
  const { contribution_id, partner_id, account_type, rupa_id, event, currency, occurred_at, amount_minor, partner_reference, payload } =
    data;
  const reported = { contribution_id, partner_id, account_type, rupa_id, event, currency, occurred_at, amount_minor, partner_reference };
  const shown = { subject: subjectOf(data), test_run: data.test_run ?? null };
  return { ...reported, ...shown, ...knownPayload(event, payload), payload, recorded_at, updated_at: data.recorded_at };
}

const keys = ({ data }: { data: Contribution }) => [{ contribution_id: data.contribution_id }];

/** The current version of every report about a farmer. Lookups read what `farmer_reports` keeps of them. */
export const contributionProjection = projection<Report, ContributionEvent | FarmerEvent>({
  name: 'contribution',
  version: 7,
  table,
  personal: true,
  derived: [farmerReports],
  handlers: {
    ContributionRecorded: { creates: true, keys, apply: (_row, { data }) => row(data, data.recorded_at) },
    ContributionUpdated: { keys, apply: (known, { data }) => row(data, known?.recorded_at ?? data.recorded_at) },
    FarmerRegistered: ignored,
    FarmerSectionUpdated: ignored,
    CreditScoreChanged: ignored,
    TestFarmerDefined: ignored,
    FarmerErased: {
      wipe: ({ data: { rupa_id } }) => ({
        // No test farmer is ever erased after a report, so that all reports about the farmer have this subject.
        where: { subject: rupa_id },
        columns: ['amount_minor', 'partner_reference', 'loan_reference', 'expires_at', 'goods', 'payload'],
      }),
    },
  },
});
