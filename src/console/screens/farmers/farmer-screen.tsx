import { type VNode } from 'preact';
import {
  type FarmerReport,
  type ReportedConsent,
  type ReportedContribution,
  type ReportedLookup,
} from '../../../contexts/farmers/subject-report/farmer-report-responses.dto.js';
import { pathOf, queryOf } from '../../admin-api.js';
import { actorOf } from '../../../http/authenticating/admin-tokens.js';
import { ActForm, Field } from '../../components/form.js';
import { ReasonField, ReasonRefused } from '../../components/reason.js';
import { type Column, Facts, Table } from '../../components/table.js';
import { Term } from '../../components/term.js';
import { nameOfTerm } from '../../names.js';
import { Badge, Code, Count, Notice, Time } from '../../components/text.js';
import { STREAM_PATH } from '../log/log-links.js';
import { type Screen, type Visit } from '../../screen.js';
import { PersonalData, type RecordWithSections } from './personal-data.js';

interface OfPartner {
  readonly partner_id: string;
  readonly company_name: string;
}

const PARTNER: Column<OfPartner> = {
  head: 'Partner',
  cell: ({ partner_id, company_name }) => <a href={`/console${pathOf`/partners/${partner_id}`}`}>{company_name}</a>,
};

const CONSENTS: readonly Column<ReportedConsent>[] = [
  PARTNER,
  { head: 'Purpose', cell: ({ source }) => source },
  { head: 'Granted', cell: ({ granted_at }) => <Time at={granted_at} /> },
  { head: 'Last access', cell: ({ last_accessed_at }) => <Time at={last_accessed_at} /> },
  { head: 'Accesses', numeric: true, cell: ({ access_count }) => <Count value={access_count} /> },
];

const ACCESSES: readonly Column<ReportedLookup>[] = [
  { head: 'At', cell: ({ looked_up_at }) => <Time at={looked_up_at} /> },
  PARTNER,
  { head: 'Purpose', cell: ({ source }) => source },
  { head: 'Sections', cell: ({ sections }) => sections.map(nameOfTerm).join(', ') },
  {
    head: 'Lookup',
    cell: ({ lookup_id, refunded }) => (
      <>
        <a href={`/console${pathOf`/lookups/${lookup_id}`}`}>
          <Code cut={14}>{lookup_id}</Code>
        </a>
        {refunded ? <Badge tone="plain">refunded</Badge> : null}
      </>
    ),
  },
];

const CONTRIBUTIONS: readonly Column<ReportedContribution>[] = [
  { head: 'Occurred', cell: ({ occurred_at }) => <Time at={occurred_at} /> },
  PARTNER,
  { head: 'Kind', cell: ({ event }) => <Term>{event}</Term> },
  { head: 'Contribution', numeric: true, cell: ({ contribution_id }) => <Code>{String(contribution_id)}</Code> },
];

/** The form that opens a farmer. */
export function findFarmerScreen(): Screen {
  return {
    title: 'Farmers',
    area: 'farmers',
    body: (
      <>
        <p>A farmer’s page shows who may read the record, who has read it and who has reported, and no personal data.</p>
        <form method="get" action="/console/search" class="act">
          <Field label="Rupa id" name="q" required placeholder="rp-" />
          <button>Find</button>
        </form>
      </>
    ),
  };
}

/** The reason that a person typed, and the record that was read for it; without a record the reason was refused. */
export interface Reading {
  readonly reason: string;
  readonly record?: RecordWithSections;
}

/** A farmer without personal data, or with what a person has read for a reason. */
export function farmerScreen(visit: Visit, report: FarmerReport, reading?: Reading): Screen {
  const { rupa_id, mode, registered_at, erased_at, consents, lookups, reports } = report;
  return {
    title: rupa_id,
    area: 'farmers',
    status: reading && !reading.record ? 422 : 200,
    body: (
      <>
        {erased_at === null ? null : <Notice tone="warn">This farmer is erased: nobody can read the personal data any more.</Notice>}
        <Facts
          facts={[
            ['Mode', <Badge tone={mode === 'live' ? 'plain' : 'warn'}>{mode}</Badge>],
            ['Registered', <Time at={registered_at} />],
            ['Erased', <Time at={erased_at} />],
          ]}
        />
        {erased_at === null && visit.person.role === 'admin' ? <PersonalPart visit={visit} rupaId={rupa_id} reading={reading} /> : null}
        <h2>Consents</h2>
        <Newest rupaId={rupa_id} label="Consents" columns={CONSENTS} rows={consents} empty="No partner has a consent of this farmer." />
        <h2>Accesses</h2>
        <Newest rupaId={rupa_id} label="Accesses" columns={ACCESSES} rows={lookups} empty="Nobody has looked this farmer up." />
        <p>
          <a href={`/console/lookups${queryOf({ rupa_id })}`}>Find lookups of this farmer by time, partner and amount</a>
        </p>
        <p>
          <a href={`${STREAM_PATH}${queryOf({ name: `farmer-${rupa_id}` })}`}>Events of this farmer in the log</a>
        </p>
        <h2>Contributions</h2>
        <Newest
          rupaId={rupa_id}
          label="Contributions"
          columns={CONTRIBUTIONS}
          rows={reports}
          empty="No partner has reported about this farmer."
        />
        {erased_at === null && visit.person.role === 'admin' ? <h2>Erase the farmer</h2> : null}
        {erased_at === null ? (
          <ActForm
            visit={visit}
            action={`/console${pathOf`/farmers/${rupa_id}/erase`}`}
            label="Erase for good"
            asks="This cannot be reversed. Personal data become unreadable, in the log too."
            word={rupa_id}
          />
        ) : null}
      </>
    ),
  };
}

/** Rows of a list that are shown. To make a page of tens of thousands takes seconds, in which the process serves no lookup. */
const SHOWN = 200;

/** The beginning of a list, newest first, and where all of it is. */
function Newest<R>({ rupaId, rows, ...table }: Parameters<typeof Table<R>>[0] & { readonly rupaId: string }): VNode {
  return (
    <>
      <Table {...table} rows={rows.slice(0, SHOWN)} />
      {rows.length <= SHOWN ? null : (
        <p>
          The newest {SHOWN} of <Count value={rows.length} /> are shown. <Code>{`GET /admin/v1${pathOf`/farmers/${rupaId}/report`}`}</Code>{' '}
          has all.
        </p>
      )}
    </>
  );
}

interface PersonalPartProps {
  readonly visit: Visit;
  readonly rupaId: string;
  readonly reading: Reading | undefined;
}

/** The record after a reason was typed, and the form for the reason before. */
function PersonalPart({ visit, rupaId, reading }: PersonalPartProps): VNode {
  const path = `/console${pathOf`/farmers/${rupaId}`}`;
  if (reading?.record) {
    const actor = actorOf(visit.person);
    const trail = `/console/administration${queryOf({ actor, action: 'GET /admin/v1/farmers/:rupaId' })}`;
    return (
      <>
        <h2>Personal data</h2>
        <Notice tone="warn">
          The <a href={trail}>audit trail</a> records that {actor} read this record for the reason “{reading.reason}”.{' '}
          <a href={path}>Hide the personal data</a>
        </Notice>
        <PersonalData record={reading.record} />
      </>
    );
  }
  return (
    <>
      <h2>Personal data</h2>
      {reading ? <ReasonRefused /> : null}
      <ActForm visit={{ ...visit, url: path }} action={path} label="Show personal data">
        <ReasonField value={reading?.reason} />
      </ActForm>
    </>
  );
}
