import { type VNode } from 'preact';
import { type AuditTrail, type AuditTrailEntry } from '../../../contexts/evidence/audit-trail/audit-trail.dto.js';
import { queryOf } from '../../admin-api.js';
import { Field, Filters } from '../../components/form.js';
import { type Column, NextPage, Table } from '../../components/table.js';
import { Badge, Code, Time } from '../../components/text.js';
import { type Screen, type Visit, type Routes } from '../../screen.js';

export const ADMINISTRATION_PATH = '/console/administration';

const ID_DIGITS = 13;
const TARGET_LENGTH = 40;
const FIRST_ERROR = 400;

const COLUMNS: readonly Column<AuditTrailEntry>[] = [
  { head: 'At (UTC)', cell: ({ at }) => <Time at={at} /> },
  { head: 'Actor', cell: ({ actor }) => <a href={`${ADMINISTRATION_PATH}${queryOf({ actor })}`}>{actor}</a> },
  {
    head: 'Action',
    cell: ({ action }) => (
      <span class="unbroken">
        <Code>{action}</Code>
      </span>
    ),
  },
  {
    head: 'Target',
    cell: ({ target }) =>
      target === null ? null : (
        <span class="unbroken">
          <Code cut={TARGET_LENGTH}>{target}</Code>
        </span>
      ),
  },
  { head: 'Reason', cell: ({ reason }) => (reason === null ? null : <span class="prose">{reason}</span>) },
  { head: 'Status', cell: (entry) => <Status entry={entry} /> },
  { head: 'Address', cell: ({ address }) => address ?? <span class="soft">–</span> },
  {
    head: 'Request',
    cell: ({ request_id }) => (
      <a class="unbroken" href={`/console/search${queryOf({ q: request_id })}`}>
        <Code cut={ID_DIGITS}>{request_id}</Code>
      </a>
    ),
  },
];

/** The calls of administrators, auditors and the command line, newest first. */
function auditTrailScreen({ query }: Visit, { entries, next_cursor }: AuditTrail): Screen {
  const { actor, action, from, to, cursor } = query;
  return {
    title: 'Audit trail',
    area: 'administration',
    body: (
      <>
        <AdministrationLinks />
        <Filters action={ADMINISTRATION_PATH}>
          <Field label="Actor, role, name or fingerprint" name="actor" value={actor} />
          <Field label="Action, method or route" name="action" value={action} placeholder="PUT" />
          <Field label="From (UTC)" name="from" type="date" value={from} />
          <Field label="To (UTC)" name="to" type="date" value={to} />
        </Filters>
        <Table label="Calls" columns={COLUMNS} rows={entries} empty="No call matches. Clear a filter, or choose a longer period." />
        <NextPage path={ADMINISTRATION_PATH} query={{ actor, action, from, to, cursor }} cursor={next_cursor} />
      </>
    ),
  };
}

/** Links between the pages about the administration. */
export function AdministrationLinks(): VNode {
  return (
    <p class="pages">
      <a href={ADMINISTRATION_PATH}>Audit trail</a>
      <a href="/console/approvals">Approvals</a>
      <a href={`${ADMINISTRATION_PATH}/tokens`}>Tokens and keys</a>
      <a href={`${ADMINISTRATION_PATH}/doctor`}>Doctor</a>
    </p>
  );
}

/** A command of the command line has an exit status, of which only 0 is a success. */
function Status({ entry: { status, action } }: { readonly entry: AuditTrailEntry }): VNode {
  if (status === null) return <Badge tone="warn">not ended</Badge>;
  const failed = action.startsWith('rupa ') ? status !== 0 : status >= FIRST_ERROR;
  return failed ? <Badge tone="bad">{status} failed</Badge> : <span class="number">{status}</span>;
}

const PER_PAGE = 50;

/** The audit trail with its filters. */
export function addAdministrationScreens(routes: Routes): void {
  routes.screen('/administration', async (visit) => {
    const { actor, action, from, to, cursor } = visit.query;
    const filters = { limit: PER_PAGE, actor, action, from, to, cursor };
    return auditTrailScreen(visit, await visit.api.get<AuditTrail>('/audit-trail', filters));
  });
}
