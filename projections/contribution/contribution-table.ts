import { defineEntity } from '@mikro-orm/core';
import { type Contribution } from '../../src/contexts/reports/domain/events.js';
import { type KnownPayload } from '../../src/contexts/reports/domain/payload.js';
import { authenticatedColumns, column, type RowOf } from '../columns.js';

export const table = defineEntity({
  name: 'contribution',
  tableName: 'contribution',
  properties: {
    contribution_id: column.integer().primary(),
    partner_id: column.text(),
    account_type: column.text<Contribution['account_type']>(),
    rupa_id: column.text(),
    /** Lookups show the reports with one subject together (subjectOf in reports/domain/events.ts). */
    subject: column.text(),
    /** Null unless the report is about a test farmer. */
    test_run: column.integer().nullable(),
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
    ...authenticatedColumns,
  },
  indexes: [
    { properties: ['subject', 'event', 'occurred_at', 'contribution_id'] },
    { properties: ['partner_id', 'loan_reference'], where: 'loan_reference is not null' },
    { properties: ['partner_id', 'recorded_at', 'contribution_id'] },
    { properties: ['partner_id', 'rupa_id', 'recorded_at', 'contribution_id'] },
    { properties: ['partner_id', 'partner_reference', 'recorded_at', 'contribution_id'], where: 'partner_reference is not null' },
  ],
});

export type ContributionRow = RowOf<typeof table>;
