import { defineEntity } from '@mikro-orm/core';
import { type AccountType } from '../../src/kernel/account-types.js';
import { type Mode } from '../../src/kernel/modes.js';
import { type PartnerEvent } from '../../src/contexts/partners/domain/events.js';
import { ignored, projection } from '../../src/platform/projecting/projection.js';
import { column } from '../columns.js';

export interface PartnerRow {
  readonly partner_id: string;
  readonly company_name: string;
  readonly account_type: AccountType;
  readonly mode: Mode;
  readonly status: 'pending' | 'active';
  readonly optional_sections: readonly string[];
  readonly ip_allow_list: readonly string[];
  readonly registered_at: string;
}

const table = defineEntity({
  name: 'partner',
  tableName: 'partner',
  properties: {
    partner_id: column.text().primary(),
    company_name: column.text(),
    account_type: column.text(),
    mode: column.text(),
    status: column.text(),
    optional_sections: column.json<string[]>(),
    ip_allow_list: column.json<string[]>(),
    registered_at: column.time(),
  },
});

const keys = ({ data }: { data: { partner_id: string } }) => [{ partner_id: data.partner_id }];

/** All partners, for the administrators and for the checks of every request. */
export const partnerProjection = projection<PartnerRow, PartnerEvent>({
  name: 'partner',
  version: 1,
  table,
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
      }),
    },
    PartnerActivated: { keys, apply: (row) => row && { ...row, status: 'active' } },
    PartnerDeactivated: { keys, apply: (row) => row && { ...row, status: 'pending' } },
    OptionalSectionsChanged: { keys, apply: (row, { data }) => row && { ...row, optional_sections: data.sections } },
    IpAllowListChanged: { keys, apply: (row, { data }) => row && { ...row, ip_allow_list: data.cidrs } },
    LowBalanceThresholdChanged: ignored,
  },
});
