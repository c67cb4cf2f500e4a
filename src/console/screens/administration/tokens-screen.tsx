import { actorOf, type TokenHolder } from '../../../http/authenticating/admin-tokens.js';
import { queryOf } from '../../admin-api.js';
import { type Column, Table } from '../../components/table.js';
import { Badge, Code } from '../../components/text.js';
import { type Screen, type Visit } from '../../screen.js';
import { ADMINISTRATION_PATH, AdministrationLinks } from './audit-trail-screen.js';

/** The ids of the master keys; the keys themselves never reach a page. */
export interface KeyIds {
  readonly ids: readonly string[];
  readonly currentId: string;
}

/** Lists the holders of tokens and the master keys' ids, without a secret. */
export function tokensScreen(visit: Visit, holders: readonly TokenHolder[], { ids, currentId }: KeyIds): Screen {
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
