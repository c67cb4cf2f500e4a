import { setTimeout as delay } from 'node:timers/promises';
import { type Pool } from 'pg';
import { erasedFarmerProjection } from '../../../../projections/erased-farmer/erased-farmer.projection.js';
import { projections } from '../../../../projections/index.js';
import { type DataKeys } from '../../../platform/key-store/data-keys.js';
import { haveReached } from '../../../platform/projecting/checkpoints.js';
import { deleteResponsesAbout } from '../../../platform/stored-responses/stored-response-table.js';

/** Name of the checkpoint of the last erasure whose residual data was overwritten. */
export const ERASURES = 'erasures';

const POLL_MS = 20;
/** The read models that an erasure changes: those with personal data, and the list of erased farmers. */
const READ_MODELS = projections.filter((each) => each.personal === true || each === erasedFarmerProjection).map(({ name }) => name);

/** Removes the personal data of erased farmers. Every step is idempotent (docs/adr/0008). */
export class Erasures {
  constructor(
    private readonly pool: Pool,
    private readonly keys: DataKeys,
  ) {}

  /**
   * Destroys the data keys, waits until the read models have removed the farmers, then deletes the stored responses. By then, a lookup
   * that found a farmer earlier has inserted its row, and it cannot store a response after the row is deleted. Returns false if `signal`
   * was aborted before the read models had reached `position`.
   */
  async complete(rupaIds: readonly string[], position: bigint, signal: AbortSignal): Promise<boolean> {
    await this.keys.destroy(rupaIds);
    if (!(await this.readModelsReach(position, signal))) return false;
    await deleteResponsesAbout(this.pool, rupaIds);
    return true;
  }

  private async readModelsReach(position: bigint, signal: AbortSignal): Promise<boolean> {
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
