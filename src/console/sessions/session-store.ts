import { createHash, randomBytes } from 'node:crypto';
import { type Pool } from 'pg';
import { type TokenHolder } from '../../http/authenticating/admin-tokens.js';

const ID_BYTES = 32;
/** Hours after which a session ends, however much it is used. */
export const SESSION_HOURS = 8;
/** Minutes without a request after which a session ends. */
export const IDLE_MINUTES = 60;
/** Seconds between two updates of the time of the last request, so that not every request writes. */
const USED_EVERY_SECONDS = 60;

const VALID = `expires_at > now() and used_at > now() - interval '${IDLE_MINUTES} minutes'`;

/** The sessions of the console, which all APIs share. The table contains only the hash of a session's id, as of any secret. */
export class SessionStore {
  constructor(private readonly pool: Pool) {}

  /** Begins a session, and returns its id. Sessions that have ended are deleted. */
  async begin({ role, name, fingerprint }: TokenHolder): Promise<string> {
    const id = randomBytes(ID_BYTES).toString('base64url');
    await this.pool.query(`delete from ops.console_session where not (${VALID})`);
    await this.pool.query(
      `insert into ops.console_session (session_hash, role, name, fingerprint, expires_at)
       values ($1, $2, $3, $4, now() + interval '${SESSION_HOURS} hours')`,
      [hashOf(id), role, name, fingerprint],
    );
    return id;
  }

  /** Returns whose session it is; undefined if it has ended or never was. */
  async find(id: string): Promise<TokenHolder | undefined> {
    const { rows } = await this.pool.query<TokenHolder & { stale: boolean }>(
      `select role, name, fingerprint, used_at < now() - interval '${USED_EVERY_SECONDS} seconds' as stale
       from ops.console_session where session_hash = $1 and ${VALID}`,
      [hashOf(id)],
    );
    const [found] = rows;
    if (!found) return undefined;
    const { stale, ...holder } = found;
    if (stale) await this.pool.query('update ops.console_session set used_at = now() where session_hash = $1', [hashOf(id)]);
    return holder;
  }

  async end(id: string): Promise<void> {
    await this.pool.query('delete from ops.console_session where session_hash = $1', [hashOf(id)]);
  }
}

function hashOf(id: string): string {
  return createHash('sha256').update(id).digest('hex');
}
