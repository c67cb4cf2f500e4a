import { Inject, Injectable } from '@nestjs/common';
import { type Pool } from 'pg';
import { idOfItem } from '../../kernel/keyed-id.js';
import { POOL } from '../../platform/injection-tokens.js';
import { DataKeyDestroyed, DataKeys, type DataKey } from '../../platform/key-store/data-keys.js';
import { CiphertextUnusable } from '../../platform/key-store/encryption.js';
import { RowMacs } from '../../platform/projecting/row-macs.js';
import {
  beginPieces,
  isStored,
  pieceOf,
  replaceResponse,
  type StoredPiece,
  storedPieces,
  storePieces,
  withdrawPieces,
} from '../../platform/stored-responses/stored-response-table.js';
import { LEASE_SECONDS } from '../wallet/public.js';
import { ResponseKey, binding, type Lease, requestBinding, requireLease, type Stored } from './stored-responses.js';

/** The part of a response that is about one farmer, with the farmer's number in the request. */
export interface Piece {
  readonly index: number;
  readonly rupa_id: string;
  readonly text: string;
}

/** The pieces of a response that could not be stored, by number. */
export interface NotStored {
  /** Farmers who were erased meanwhile. */
  readonly erased: ReadonlySet<number>;
  /** Pieces whose lease was ended. */
  readonly lost: ReadonlySet<number>;
}

/**
 * Stored responses that are about many farmers (docs/adr/0066). The response's own row, the head, has what is about nobody. What is about a farmer
 * is in a row of its own, encrypted with that farmer's data key: an erasure takes it, and the sweep of stale charges finds each lookup's row.
 * {@link StoredResponses} begins and takes over the head.
 */
@Injectable()
export class StoredLists {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    private readonly keys: DataKeys,
    private readonly ownKey: ResponseKey,
    private readonly macs: RowMacs,
  ) {}

  /**
   * Inserts the pieces' rows. Call it before the farmers are read: an erasure that is complete by then has removed the farmer, and a later one
   * deletes the row.
   * @throws LeaseLost
   */
  async begin(lease: Lease, rupaIds: readonly string[]): Promise<void> {
    const pieces = rupaIds.map((rupa_id, index) => ({
      key_hash: pieceOf(lease.key_hash, index),
      lookup_id: idOfItem(lease.lookup_id, index),
      rupa_id,
    }));
    requireLease(await beginPieces(this.pool, lease, pieces));
  }

  /**
   * Stores the head with the pieces, before the response is sent. Returns which pieces could not be stored: their charges must be refunded, and
   * {@link replaceHead} must say so.
   * @throws LeaseLost if nothing was stored
   */
  async store(lease: Lease, head: string, pieces: readonly Piece[]): Promise<NotStored> {
    const dataKeys = await this.keys.load(pieces.map(({ rupa_id }) => rupa_id));
    const encrypted = pieces.map((piece) => ({ index: piece.index, response: this.encrypt(dataKeys.get(piece.rupa_id), lease, piece) }));
    const erased = new Set(encrypted.flatMap(({ index, response }) => (response === undefined ? [index] : [])));
    const rows = encrypted.flatMap(({ index, response }) =>
      response === undefined ? [] : [{ key_hash: pieceOf(lease.key_hash, index), response }],
    );
    const stored = await storePieces(this.pool, lease, await this.encryptHead(lease, head), rows, LEASE_SECONDS);
    requireLease(stored !== undefined);
    const names = new Set(stored);
    const lost = pieces.filter(({ index }) => !erased.has(index) && !names.has(pieceOf(lease.key_hash, index)));
    return { erased, lost: new Set(lost.map(({ index }) => index)) };
  }

  async replaceHead(lease: Lease, head: string): Promise<void> {
    await replaceResponse(this.pool, lease, await this.encryptHead(lease, head));
  }

  /** Deletes the rows of a request without a response, like {@link StoredResponses.withdraw}. @param pieces number of its pieces */
  async withdraw(lease: Lease, pieces: number): Promise<'withdrawn' | 'stored'> {
    await withdrawPieces(this.pool, lease, namesOf(lease.key_hash, pieces));
    return (await isStored(this.pool, lease)) ? 'stored' : 'withdrawn';
  }

  /**
   * Returns the stored pieces of a response by number. The pieces of farmers who were erased since are not among them.
   * @param pieces number of the request's pieces
   * @throws CiphertextUnusable if somebody edited a row
   */
  async piecesOf(
    { partner_id, key_hash, lookup_id }: Omit<Stored, 'kind' | 'payload'>,
    pieces: number,
  ): Promise<ReadonlyMap<number, string>> {
    const names = namesOf(key_hash, pieces);
    const rows = await storedPieces(this.pool, partner_id, names);
    const dataKeys = await this.keys.load(rows.map(({ rupa_id }) => rupa_id));
    const found = new Map<number, string>();
    for (const row of rows) {
      const index = names.indexOf(row.key_hash);
      const text = this.decrypt(dataKeys.get(row.rupa_id), { ...row, lookup_id: idOfItem(lookup_id, index) }, partner_id);
      if (text !== undefined) found.set(index, text);
    }
    return found;
  }

  private encryptHead(lease: Lease, head: string): Promise<string> {
    return this.ownKey.encrypt(head, requestBinding(lease));
  }

  /** Returns undefined if the farmer was erased. */
  private encrypt(dataKey: DataKey | undefined, { partner_id, key_hash, lookup_id }: Lease, { index, text }: Piece): string | undefined {
    try {
      return dataKey?.encrypt(text, binding(partner_id, pieceOf(key_hash, index), idOfItem(lookup_id, index)));
    } catch (error) {
      if (error instanceof DataKeyDestroyed) return undefined;
      throw error;
    }
  }

  private decrypt(dataKey: DataKey | undefined, { key_hash, lookup_id, response }: StoredPiece, partnerId: string): string | undefined {
    try {
      return dataKey?.decrypt(response, binding(partnerId, key_hash, lookup_id));
    } catch (error) {
      if (error instanceof CiphertextUnusable) this.macs.noteRow('stored_response', [partnerId, key_hash]);
      throw error;
    }
  }
}

function namesOf(keyHash: string, pieces: number): readonly string[] {
  return Array.from({ length: pieces }, (_, index) => pieceOf(keyHash, index));
}
