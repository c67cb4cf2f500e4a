import { Inject, Injectable } from '@nestjs/common';
import { type Pool } from 'pg';
import { POOL } from '../../../platform/injection-tokens.js';
import { CheckpointOptions } from '../checkpoints/checkpoint-keys.js';
import { type Checkpoint } from '../checkpoints/checkpoint-log.js';
import { type Cosignature, cosignatureIn } from '../domain/cosignature.js';
import { noteParts, type VerifierKey } from '../domain/signed-note.js';
import { type Witness } from './witness.js';

/** A witness' signature under a checkpoint, with the name that the setting WITNESSES gives the witness. */
export interface WitnessCosignature extends Cosignature {
  readonly witness: string;
}

/** A row of ops.checkpoint_cosignature: a witness' signature under a checkpoint. */
interface Row {
  /** Number of the checkpoint. */
  readonly number: number;
  /** Name and id of the witness' key, which identify it. */
  readonly key: string;
  readonly signature: string;
}

const READ = `select number::float8 as number, key, signature from ops.checkpoint_cosignature where number = any($1::bigint[])`;
const LAST = `select number::float8 as number, key, signature from ops.checkpoint_cosignature where key = $1
  order by number desc limit 1`;
const KEEP = `insert into ops.checkpoint_cosignature (number, key, signature) values ($1, $2, $3)
  on conflict (number, key) do update set signature = excluded.signature`;

/**
 * The cosignatures of the witnesses in the setting WITNESSES. Each one is verified whenever it is read, so that a row that was edited in the
 * database is as if it were not there.
 */
@Injectable()
export class Cosignatures {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    private readonly options: CheckpointOptions,
  ) {}

  get witnesses(): readonly Witness[] {
    return this.options.witnesses;
  }

  /** Returns the cosignatures of a checkpoint, in the order of WITNESSES. */
  async of(checkpoint: Checkpoint): Promise<readonly WitnessCosignature[]> {
    return (await this.ofEach([checkpoint])).get(checkpoint.number) ?? [];
  }

  /** Returns the cosignatures of several checkpoints, by the number of the checkpoint. */
  async ofEach(checkpoints: readonly Checkpoint[]): Promise<ReadonlyMap<number, readonly WitnessCosignature[]>> {
    if (this.witnesses.length === 0 || checkpoints.length === 0) return new Map();
    const { rows } = await this.pool.query<Row>(READ, [checkpoints.map(({ number }) => number)]);
    return new Map(
      checkpoints.map((checkpoint) => {
        const own = rows.filter(({ number }) => number === checkpoint.number);
        return [checkpoint.number, this.witnesses.flatMap((witness) => own.flatMap((row) => verified(row, checkpoint, witness) ?? []))];
      }),
    );
  }

  /** Returns the number of the last checkpoint for which a cosignature of the witness is stored, whether or not it can be verified. */
  async lastNumber({ key }: Witness): Promise<number | undefined> {
    const { rows } = await this.pool.query<Row>(LAST, [identityOf(key)]);
    return rows[0]?.number;
  }

  async keep({ number }: Checkpoint, { key }: Witness, { signature }: Cosignature): Promise<void> {
    await this.pool.query(KEEP, [number, identityOf(key), signature]);
  }
}

function identityOf({ name, id }: VerifierKey): string {
  return `${name}+${id}`;
}

function verified(row: Row, { note }: Checkpoint, { name, key }: Witness): WitnessCosignature | undefined {
  const text = noteParts(note)?.text;
  const cosignature = row.key === identityOf(key) && text !== undefined ? cosignatureIn(row.signature, text, key) : undefined;
  return cosignature && { witness: name, ...cosignature };
}
