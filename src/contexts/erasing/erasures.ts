import { setTimeout as delay } from 'node:timers/promises';
import { type Pool } from 'pg';
import { type DataKeys } from '../../platform/key-store/data-keys.js';
import { haveReached } from '../../platform/projecting/checkpoints.js';

/** Name of the checkpoint that tells how far the traces of erased farmers are removed. */
export const ERASURES = 'erasures';

const POLL_MS = 20;
/** Read models that show, or showed, something personal, and the one that knows who was erased. */
const READ_MODELS = ['farmer_profile', 'contribution', 'erased_farmer'];

/** What follows from FarmerErased, however often it is done (docs/adr/0008). */
export class Erasures {
  constructor(
    private readonly pool: Pool,
    private readonly keys: DataKeys,
  ) {}

  /**
   * The keys go, then the read models forget, then the stored responses go: a lookup that found the farmer before has its row by then,
   * and cannot keep an answer without it. False where `signal` was aborted before the read models had reached `position`.
   */
  async complete(rupaIds: readonly string[], position: bigint, signal: AbortSignal): Promise<boolean> {
    await this.keys.destroy(rupaIds);
    if (!(await this.forgotten(position, signal))) return false;
    await this.pool.query('delete from ops.stored_response where rupa_id = any($1)', [rupaIds]);
    return true;
  }

  private async forgotten(position: bigint, signal: AbortSignal): Promise<boolean> {
    while (!signal.aborted) {
      const client = await this.pool.connect();
      try {
        if (await haveReached(client, READ_MODELS, position)) return true;
      } finally {
        client.release();
      }
      await delay(POLL_MS, undefined, { signal }).catch(() => undefined);
    }
    return false;
  }
}
