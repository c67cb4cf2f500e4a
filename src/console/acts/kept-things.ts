import { randomBytes } from 'node:crypto';
import { type Pool } from 'pg';
import { CiphertextUnusable } from '../../platform/key-store/encryption.js';
import { type MasterKeys } from '../../platform/key-store/master-keys.js';
import {
  deleteResponse,
  insertResponse,
  keyHashOf,
  responseOf,
  STORED_RESPONSES,
} from '../../platform/stored-responses/stored-response-table.js';

const ID_BYTES = 24;
const MINUTE = 60;
/** Minutes for which a secret is shown again to the session that made it. */
export const SECRET_MINUTES = 10;

/**
 * Each kind of thing that the console keeps for a person, with its value of `partner_id` in the table of stored responses, which no partner has, and
 * for how many seconds it is found.
 */
const KINDS = {
  /** The values of a form that could not be carried out. */
  typed: { scope: 'console/typed', seconds: 60 * MINUTE },
  /** A page that an act leads to, such as a comparison of fees. */
  page: { scope: 'console/pages', seconds: 12 * 60 * MINUTE },
  /** A page with a secret. */
  secret: { scope: 'console/secrets', seconds: SECRET_MINUTES * MINUTE },
} as const;

export type KeptKind = keyof typeof KINDS;

/** The rows of secrets that are shown no longer. Other rows are deleted with the stored responses of partners, after a day. */
export const OLD_SECRETS = {
  table: STORED_RESPONSES,
  column: 'begun_at',
  seconds: KINDS.secret.seconds,
  where: `partner_id = '${KINDS.secret.scope}'`,
};

interface Kept {
  readonly of: string;
  readonly content: object;
}

/** Keeps things for a person between two pages. All APIs share them, encrypted with the master key; their ids cannot be guessed. */
export class KeptThings {
  constructor(
    private readonly pool: Pool,
    private readonly texts: EncryptedTexts,
  ) {}

  /** Keeps a thing, and returns its id. @param of the session or person that may have it back */
  async keep(kind: KeptKind, of: string, content: object): Promise<string> {
    const id = randomBytes(ID_BYTES).toString('base64url');
    const row = rowOf(kind, id);
    const kept: Kept = { of, content };
    await insertResponse(this.pool, row, this.texts.encrypt(JSON.stringify(kept), bindingOf(row)));
    return id;
  }

  /** Returns a thing; undefined after its time, for anybody else, and if somebody edited it in the table. */
  async find<T extends object>(kind: KeptKind, of: string, id: string): Promise<T | undefined> {
    const row = rowOf(kind, id);
    const stored = await responseOf(this.pool, row, KINDS[kind].seconds);
    const text = stored === undefined ? undefined : this.texts.decrypt(stored, bindingOf(row));
    const kept = text === undefined ? undefined : (JSON.parse(text) as Kept);
    return kept?.of === of ? (kept.content as T) : undefined;
  }

  async forget(kind: KeptKind, id: string): Promise<void> {
    await deleteResponse(this.pool, rowOf(kind, id));
  }
}

/** Encrypts texts for the table with the current master key, whose id the text begins with. */
export class EncryptedTexts {
  constructor(private readonly keys: Pick<MasterKeys, 'wrap' | 'unwrap'>) {}

  encrypt(text: string, binding: string): string {
    const { master_key_id, wrapped } = this.keys.wrap(Buffer.from(text), binding);
    return `${master_key_id} ${wrapped}`;
  }

  /** Returns the text; undefined if it was changed, moved to another row, or encrypted with a master key that the setting lacks. */
  decrypt(stored: string, binding: string): string | undefined {
    const [id = '', wrapped = ''] = stored.split(' ');
    try {
      return this.keys.unwrap(id, wrapped, binding).toString('utf8');
    } catch (error) {
      if (error instanceof CiphertextUnusable) return undefined;
      throw error;
    }
  }
}

interface Row {
  readonly partner_id: string;
  readonly key_hash: string;
}

function rowOf(kind: KeptKind, id: string): Row {
  return { partner_id: KINDS[kind].scope, key_hash: keyHashOf(id) };
}

/** Returns the additional authenticated data of a row, so that no row's content passes for another's. */
export function bindingOf({ partner_id, key_hash }: Row): string {
  return `${partner_id}\n${key_hash}`;
}
