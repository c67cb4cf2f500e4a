import { defineEntity } from '@mikro-orm/core';
import { type PartnerEvent } from '../../src/contexts/partners/domain/events.js';
import { type LegalDetails, NO_LEGAL_DETAILS } from '../../src/contexts/partners/domain/legal-details.js';
import { ignored, projection, type WithoutMac } from '../../src/platform/projecting/projection.js';
import { authenticatedColumns, column, type RowOf } from '../columns.js';

/** The number of the partner that was registered first. */
const FIRST_CUSTOMER_NUMBER = 1_001;

/** The key of the row that has the last number that was given. No partner has an empty id. */
const LAST_CUSTOMER = '';

const table = defineEntity({
  name: 'customer',
  tableName: 'customer',
  properties: {
    partner_id: column.text().primary(),
    /** Null in the row of the last number. */
    customer_number: column.integer().nullable().unique(),
    /** Null in the rows of partners. */
    last_number: column.integer().nullable(),
    legal: column.json<LegalDetails>(),
    ...authenticatedColumns,
  },
});

export type CustomerRow = RowOf<typeof table>;

const last = { partner_id: LAST_CUSTOMER };

/**
 * Partners as customers of the accounts department. Their numbers count the registrations of both modes in the order of the log, so a rebuild
 * gives each partner the same number, and no two partners have the same one.
 */
export const customerProjection = projection<WithoutMac<CustomerRow>, PartnerEvent>({
  name: 'customer',
  version: 1,
  table,
  handlers: {
    PartnerRegistered: {
      keys: ({ data: { partner_id } }) => [{ partner_id }, last],
      apply: (row, { data: { partner_id } }, key, [customer, counter]) => {
        // A partner keeps the number of its first registration.
        if (customer) return row;
        const number = (counter?.last_number ?? FIRST_CUSTOMER_NUMBER - 1) + 1;
        return key.partner_id === LAST_CUSTOMER
          ? { ...last, customer_number: null, last_number: number, legal: NO_LEGAL_DETAILS }
          : { partner_id, customer_number: number, last_number: null, legal: NO_LEGAL_DETAILS };
      },
    },
    PartnerDetailsChanged: {
      keys: ({ data: { partner_id } }) => [{ partner_id }],
      apply: (row, { data: { legal } }) => row && { ...row, legal },
    },
    PartnerActivated: ignored,
    PartnerDeactivated: ignored,
    OptionalSectionsChanged: ignored,
    IpAllowListChanged: ignored,
    LowBalanceThresholdChanged: ignored,
    SandboxReset: ignored,
  },
});
