import { defineEntity } from '@mikro-orm/core';
import { type Contribution, type ContributionEvent } from '../../src/contexts/reports/domain/events.js';
import { knownPayload, type KnownPayload } from '../../src/contexts/reports/domain/payload.js';
import { type FarmerEvent } from '../../src/contexts/farmers/domain/events.js';
import { ignored, projection } from '../../src/platform/projecting/projection.js';
import { column, type RowOf } from '../columns.js';

const table = defineEntity({
  name: 'contribution',
  tableName: 'contribution',
  properties: {
    contribution_id: column.integer().primary(),
    partner_id: column.text(),
    account_type: column.text<Contribution['account_type']>(),
    rupa_id: column.text(),
    event: column.text<Contribution['event']>(),
    currency: column.text(),
    occurred_at: column.time(),
    // From here on personal: null if it was not reported or if the farmer was erased.
    amount_minor: column.kobo().nullable(),
    partner_reference: column.text().nullable(),
    loan_reference: column.text().nullable(),
    expires_at: column.time().nullable(),
    goods: column.document<NonNullable<KnownPayload['goods']>>().nullable(),
    payload: column.document<NonNullable<Contribution['payload']>>().nullable(),
    /** Time of the first report. It orders the partner's list, so an update does not change it. */
    recorded_at: column.time(),
    updated_at: column.time(),
  },
  indexes: [
    { properties: ['rupa_id', 'event', 'occurred_at', 'contribution_id'] },
    { properties: ['partner_id', 'loan_reference'], where: 'loan_reference is not null' },
    { properties: ['partner_id', 'recorded_at', 'contribution_id'] },
    { properties: ['partner_id', 'partner_reference', 'recorded_at', 'contribution_id'], where: 'partner_reference is not null' },
  ],
});

export type ContributionRow = RowOf<typeof table>;

type ReportData = ContributionEvent['data'];

function row(data: ReportData, recorded_at: string): ContributionRow {
  const { contribution_id, partner_id, account_type, rupa_id, event, currency, occurred_at, amount_minor, partner_reference, payload } =
    data;
  const reported = { contribution_id, partner_id, account_type, rupa_id, event, currency, occurred_at, amount_minor, partner_reference };
  return { ...reported, ...knownPayload(event, payload), payload, recorded_at, updated_at: data.recorded_at };
}

const keys = ({ data }: { data: Contribution }) => [{ contribution_id: data.contribution_id }];

/** The current version of every report about a farmer. Lookups read all reported items from here. */
export const contributionProjection = projection<ContributionRow, ContributionEvent | FarmerEvent>({
  name: 'contribution',
  version: 4,
  table,
  personal: true,
  handlers: {
    ContributionRecorded: { creates: true, keys, apply: (_row, { data }) => row(data, data.recorded_at) },
    ContributionUpdated: { keys, apply: (known, { data }) => row(data, known?.recorded_at ?? data.recorded_at) },
    FarmerRegistered: ignored,
    FarmerSectionUpdated: ignored,
    CreditScoreChanged: ignored,
    TestFarmerDefined: ignored,
    FarmerErased: {
      wipe: ({ data: { rupa_id } }) => ({
        where: { rupa_id },
        columns: ['amount_minor', 'partner_reference', 'loan_reference', 'expires_at', 'goods', 'payload'],
      }),
    },
  },
});
