import { type Column, Table } from '../../components/table.js';
import { Badge, Notice } from '../../components/text.js';
import { type Screen } from '../../screen.js';
import { AdministrationLinks, ADMINISTRATION_PATH } from './audit-trail-screen.js';

/** A result of the doctor, with the next step for the operator unless the status is `ok`. */
export interface DoctorFinding {
  readonly check: string;
  readonly status: 'ok' | 'warning' | 'failure';
  readonly found: string;
  readonly todo?: string;
}

const TONES = { ok: 'good', warning: 'warn', failure: 'bad' } as const;

const COLUMNS: readonly Column<DoctorFinding>[] = [
  { head: 'Status', cell: ({ status }) => <Badge tone={TONES[status]}>{status}</Badge> },
  { head: 'Check', cell: ({ check }) => check },
  { head: 'Found', cell: ({ found }) => found },
  { head: 'Next step', cell: ({ todo }) => todo },
];

const BY_URGENCY = ['failure', 'warning', 'ok'];

/** The doctor's findings, the most urgent first. */
export function doctorScreen(findings: readonly DoctorFinding[]): Screen {
  const rows = findings.toSorted((one, other) => BY_URGENCY.indexOf(one.status) - BY_URGENCY.indexOf(other.status));
  const failures = findings.filter(({ status }) => status === 'failure').length;
  return {
    title: 'Doctor',
    area: 'administration',
    body: (
      <>
        <AdministrationLinks />
        <Notice tone={failures === 0 ? 'good' : 'bad'}>
          {failures === 0 ? 'The settings and the stores have no failure.' : `Checks with a failure: ${failures}.`}
        </Notice>
        <p>
          The service has just examined its settings and stores. <a href={`${ADMINISTRATION_PATH}/doctor`}>Examine again</a>. The command{' '}
          <code>npm run rupa -- doctor</code> also compares all processes with each other.
        </p>
        <Table label="Findings" columns={COLUMNS} rows={rows} empty="The doctor found nothing. Run npm run rupa -- doctor." />
      </>
    ),
  };
}
