import { createHash, randomBytes } from 'node:crypto';
import { canonicalize } from 'json-canonicalize';
import { type Pool } from 'pg';
import { type TokenHolder } from '../../http/authenticating/admin-tokens.js';
import { type RowMacs } from '../../platform/projecting/row-macs.js';

const ID_BYTES = 32;
/** Hours after which a session ends, however much it is used. */
export const SESSION_HOURS = 8;
/** Minutes without a request after which a session ends. */
const IDLE_MINUTES = 60;
/** Seconds between two updates of the time of the last request, so that not every request writes. */
const USED_EVERY_SECONDS = 60;

const VALID = `expires_at > now() and used_at > now() - interval '${IDLE_MINUTES} minutes'`;

/** A row of ops.console_session: a person who is signed in. */
interface SessionRow {
  readonly session_hash: string;
  readonly role: TokenHolder['role'];
  readonly name: string | null;
  readonly fingerprint: string;
  readonly begun_at: string;
  readonly used_at: string;
  readonly expires_at: string;
  readonly mac: string;
}

/** The sessions of the console, which all APIs share. The table contains only the hash of a session's id, as of any secret. */
export class SessionStore {
  constructor(
    private readonly pool: Pool,
    private readonly macs: RowMacs,
  ) {}

  /** Begins a session, and returns its id. Sessions that have ended are deleted. */
  async begin({ role, name, fingerprint }: TokenHolder): Promise<string> {
    const id = randomBytes(ID_BYTES).toString('base64url');
    await this.pool.query(`delete from ops.console_session where not (${VALID})`);
    const { rows } = await this.pool.query<Pick<SessionRow, 'expires_at'>>(
      `insert into ops.console_session (session_hash, role, name, fingerprint, expires_at)
       values ($1, $2, $3, $4, date_trunc('milliseconds', now() + interval '${SESSION_HOURS} hours')) returning expires_at`,
      [hashOf(id), role, name, fingerprint],
    );
    // The session is valid only with its MAC.
    const mac = this.macs.macOf(contentOf(hashOf(id), { role, name, fingerprint, expires_at: rows[0]?.expires_at ?? '' }));
    await this.pool.query('update ops.console_session set mac = $2 where session_hash = $1', [hashOf(id), mac]);
    return id;
  }

  /** Returns whose session it is; undefined if it has ended or never was, or if somebody edited its row (evidence, "Where a table decides"). */
  async find(id: string): Promise<TokenHolder | undefined> {
    const { rows } = await this.pool.query<Content & Pick<SessionRow, 'mac'> & { stale: boolean }>(
      `select role, name, fingerprint, expires_at, mac, used_at < now() - interval '${USED_EVERY_SECONDS} seconds' as stale
       from ops.console_session where session_hash = $1 and ${VALID}`,
      [hashOf(id)],
    );
    const [found] = rows;
    if (!found) return undefined;
    const { stale, mac, ...row } = found;
    const { expires_at: _, ...holder } = row;
    if (!this.macs.isMacOf(contentOf(hashOf(id), row), mac)) {
      this.macs.noteRow('console_session', [hashOf(id)]);
      return undefined;
    }
    if (stale) await this.pool.query('update ops.console_session set used_at = now() where session_hash = $1', [hashOf(id)]);
    return holder;
  }

  async end(id: string): Promise<void> {
    await this.pool.query('delete from ops.console_session where session_hash = $1', [hashOf(id)]);
  }
}

/** A session's rights, and how long it has them. */
type Content = Pick<SessionRow, keyof TokenHolder | 'expires_at'>;

function contentOf(session_hash: string, { role, name, fingerprint, expires_at }: Content): string {
  return `console_session\n${canonicalize({ session_hash, role, name, fingerprint, expires_at: new Date(expires_at).toISOString() })}`;
}

/** Returns what the table has instead of a session's id. */
export function hashOf(id: string): string {
  return createHash('sha256').update(id).digest('hex');
}
