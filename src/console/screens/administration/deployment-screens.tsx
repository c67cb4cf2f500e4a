import { type AdminTokens, actorOf, type TokenHolder } from '../../../http/authenticating/admin-tokens.js';
import { type MasterKeys } from '../../../platform/key-store/master-keys.js';
import { type Routes, type Screen, type Visit } from '../../screen.js';
import { type Column, Table } from '../../components/table.js';
import { Badge, Notice, Code } from '../../components/text.js';
import { AdministrationLinks, ADMINISTRATION_PATH } from './audit-trail-screen.js';
import { queryOf } from '../../admin-api.js';

/** Examines the settings and the stores without changing anything. */
export type Doctor = () => Promise<readonly DoctorFinding[]>;

interface Deployment {
  readonly tokens: AdminTokens;
  readonly masterKeys: MasterKeys;
  readonly doctor: Doctor;
}

/** Adds the pages about this deployment, which show what the settings hold and the admin interface does not return. */
export function addDeploymentScreens(routes: Routes, { tokens, masterKeys, doctor }: Deployment): void {
  routes.screen('/administration/tokens', (visit) => tokensScreen(visit, tokens.holders(), masterKeys));
  routes.screen('/administration/doctor', async () => doctorScreen(await doctor()));
}

/** A result of the doctor, with the next step for the operator unless the status is `ok`. */
interface DoctorFinding {
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
function doctorScreen(findings: readonly DoctorFinding[]): Screen {
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

/** The ids of the master keys; the keys themselves never reach a page. */
interface KeyIds {
  readonly ids: readonly string[];
  readonly currentId: string;
}

/** Lists the holders of tokens and the master keys' ids, without a secret. */
function tokensScreen(visit: Visit, holders: readonly TokenHolder[], { ids, currentId }: KeyIds): Screen {
  return {
    title: 'Tokens and keys',
    area: 'administration',
    body: (
      <>
        <AdministrationLinks />
        <h2>Tokens</h2>
        <p>
          The settings <code>ADMIN_TOKEN</code> and <code>AUDITOR_TOKEN</code> hold one token a person. A fingerprint is the beginning of a
          token’s SHA-256. Removing a token from the setting and restarting the service ends its sessions.
        </p>
        <Table label="Tokens" columns={holderColumns(visit)} rows={holders} empty="No token is set. Set ADMIN_TOKEN." />
        <h2>Master keys</h2>
        <p>
          The current key of <code>MASTER_KEY</code> wraps new data keys. The other keys only unwrap what was wrapped before.
        </p>
        <Table label="Master keys" columns={keyColumns(currentId)} rows={ids} empty="No master key is set. Set MASTER_KEY." />
      </>
    ),
  };
}

function holderColumns({ person }: Visit): readonly Column<TokenHolder>[] {
  return [
    { head: 'Recorded as', cell: (holder) => actorOf(holder) },
    { head: 'Role', cell: ({ role }) => <Badge tone={role === 'admin' ? 'warn' : 'plain'}>{role}</Badge> },
    { head: 'Fingerprint', cell: ({ fingerprint }) => <Code>{fingerprint}</Code> },
    { head: 'Calls', cell: ({ fingerprint }) => <a href={`${ADMINISTRATION_PATH}${queryOf({ actor: fingerprint })}`}>Audit trail</a> },
    { head: 'You', cell: ({ fingerprint }) => (fingerprint === person.fingerprint ? <Badge tone="good">this session</Badge> : null) },
  ];
}

function keyColumns(currentId: string): readonly Column<string>[] {
  return [
    { head: 'Key id', cell: (id) => <Code>{id}</Code> },
    { head: 'Use', cell: (id) => (id === currentId ? <Badge tone="good">current</Badge> : 'unwraps only') },
  ];
}
