import { defineEntity } from '@mikro-orm/core';
import { type AccountType, type Mode } from '../../src/kernel/accounts.js';
import { type Section } from '../../src/kernel/section-names.js';
import { type PartnerEvent } from '../../src/contexts/partners/domain/events.js';
import { projection, type WithoutMac } from '../../src/platform/projecting/projection.js';
import { authenticatedColumns, column, type RowOf } from '../columns.js';

const table = defineEntity({
  name: 'partner',
  tableName: 'partner',
  properties: {
    partner_id: column.text().primary(),
    company_name: column.text(),
    account_type: column.text<AccountType>(),
    mode: column.text<Mode>(),
    status: column.text<'pending' | 'active'>(),
    optional_sections: column.json<readonly Section[]>(),
    ip_allow_list: column.json<readonly string[]>(),
    registered_at: column.time(),
    /** How often a sandbox account was reset. What it did with test farmers in earlier runs is shown no more. */
    test_run: column.integer(),
    ...authenticatedColumns,
  },
  indexes: [{ properties: ['registered_at', 'partner_id'] }],
});

export type PartnerRow = RowOf<typeof table>;

const keys = ({ data }: { data: { partner_id: string } }) => [{ partner_id: data.partner_id }];

/** All partners, for the administrators and for the checks of every request. */
export const partnerProjection = projection<WithoutMac<PartnerRow>, PartnerEvent>({
  name: 'partner',
  version: 4,
  table,
  cached: true,
  followsStream: true,
  handlers: {
    PartnerRegistered: {
      creates: true,
      keys,
      apply: (_row, { data: { partner_id, company_name, account_type, mode, recorded_at } }) => ({
        partner_id,
        company_name,
        account_type,
        mode,
        status: 'pending',
        optional_sections: [],
        ip_allow_list: [],
        registered_at: recorded_at,
        test_run: 0,
      }),
    },
    PartnerActivated: { keys, apply: (row) => row && { ...row, status: 'active' } },
    PartnerDeactivated: { keys, apply: (row) => row && { ...row, status: 'pending' } },
    OptionalSectionsChanged: { keys, apply: (row, { data }) => row && { ...row, optional_sections: data.sections } },
    IpAllowListChanged: { keys, apply: (row, { data }) => row && { ...row, ip_allow_list: data.cidrs } },
    // It changes the revision, so that each row has that of its stream's last event.
    LowBalanceThresholdChanged: { keys, apply: (row) => row },
    PartnerDetailsChanged: { keys, apply: (row, { data }) => row && { ...row, company_name: data.company_name } },
    SandboxReset: { keys, apply: (row, { data }) => row && { ...row, test_run: data.test_run } },
  },
});
