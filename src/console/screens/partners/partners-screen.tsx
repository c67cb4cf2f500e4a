import { type PartnerList, type PartnerView } from '../../../contexts/partners/registering/partner-responses.dto.js';
import { ACCOUNT_TYPES } from '../../../kernel/accounts.js';
import { pathOf } from '../../admin-api.js';
import { ActForm, Choice, Field, Filters } from '../../components/form.js';
import { type Column, NextPage, Table } from '../../components/table.js';
import { Badge, Money } from '../../components/text.js';
import { type Screen, type Visit } from '../../screen.js';

const COLUMNS: readonly Column<PartnerView>[] = [
  { head: 'Company', cell: ({ partner_id, company_name }) => <a href={`/console${pathOf`/partners/${partner_id}`}`}>{company_name}</a> },
  { head: 'Type', cell: ({ account_type }) => account_type },
  { head: 'Mode', cell: ({ mode }) => <Badge tone={mode === 'live' ? 'plain' : 'warn'}>{mode}</Badge> },
  { head: 'Status', cell: ({ status }) => <Badge tone={status === 'active' ? 'good' : 'warn'}>{status}</Badge> },
  { head: 'Balance', numeric: true, cell: ({ wallet_balance }) => <Money amount={wallet_balance} /> },
  { head: 'Compliance', numeric: true, cell: ({ compliance }) => percent(compliance.compliance_rate) },
];

const MODES = [
  ['', 'both'],
  ['live', 'live'],
  ['sandbox', 'sandbox'],
] as const;
const STATUSES = [
  ['', 'every status'],
  ['active', 'active'],
  ['pending', 'pending'],
] as const;
const SORTS = [
  ['newest', 'newest first'],
  ['balance', 'lowest balances'],
] as const;

const NO_PARTNER = 'No partner is registered yet. Register the first one below.';
const NO_MATCH = 'No partner matches. Clear a filter, or search for a shorter part of the name.';

/** The partners with filters, and the form that registers one. */
export function partnersScreen(visit: Visit, { partners, next_cursor = null }: PartnerList): Screen {
  const { search, mode, status, sort, cursor } = visit.query;
  const filtered = [search, mode, status].some(Boolean);
  return {
    title: 'Partners',
    area: 'partners',
    body: (
      <>
        <Filters action="/console/partners">
          <Field label="Part of the name" name="search" value={search} />
          <Choice label="Mode" name="mode" value={mode} options={MODES} />
          <Choice label="Status" name="status" value={status} options={STATUSES} />
          <Choice label="Order" name="sort" value={sort} options={SORTS} />
        </Filters>
        <Table label="Partners" columns={COLUMNS} rows={partners} empty={filtered ? NO_MATCH : NO_PARTNER} />
        <NextPage path="/console/partners" query={{ search, mode, status, sort, cursor }} cursor={next_cursor} />
        {visit.person.role === 'admin' ? <h2>Register a partner</h2> : null}
        <ActForm visit={visit} action="/console/partners" label="Register">
          <Field label="Company" name="company_name" required />
          <Choice label="Type" name="account_type" options={ACCOUNT_TYPES.map((type) => [type, type])} />
          <Choice
            label="Mode"
            name="mode"
            value="live"
            options={[
              ['live', 'live'],
              ['sandbox', 'sandbox: test farmers and play money'],
            ]}
          />
        </ActForm>
      </>
    ),
  };
}

/** Returns a rate between 0 and 1 as a percentage. */
export function percent(rate: number): string {
  return `${(rate * 100).toFixed(0)} %`;
}
