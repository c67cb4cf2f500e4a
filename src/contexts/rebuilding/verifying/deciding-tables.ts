import { type Pool } from 'pg';
import { inTransaction } from '../../../platform/database/pool.js';
import { readCheckpoints } from '../../../platform/projecting/checkpoints.js';
import { recordDifferences } from '../../../platform/projecting/forged-rows.js';
import { decidingTables, type Projection, tablesOf } from '../../../platform/projecting/projection.js';
import { type ShadowParts } from '../../../platform/projecting/rebuilding/shadow.js';
import { assertNotSwapped, type Difference, identitiesOf } from '../../../platform/projecting/rebuilding/verify.js';
import { SCHEMA, verifyReadModels } from '../read-model-work.js';

// The verification of the tables by which calls decide. hourly-verification.ts says when it runs.

const deciding = (projections: readonly Projection[]): readonly Projection[] =>
  projections.filter((each) => decidingTables([each]).length > 0);

/** Returns whether this release built all of the tables. Those of another one may have other rows. */
export async function areOfThisRelease(pool: Pool, projections: readonly Projection[]): Promise<boolean> {
  const known = await readCheckpoints(pool);
  return deciding(projections).every(({ name, version }) => known.get(name)?.version === version);
}

/**
 * Compares the tables with the log, and records the rows that differ, so that they are named until they are mended.
 * @throws Error if a read model is faulted, or a rebuild swapped a table meanwhile; nothing is recorded then
 */
export async function verifyDecidingTables(parts: ShadowParts, projections: readonly Projection[]): Promise<void> {
  const readModels = deciding(projections);
  const tables = decidingTables(projections);
  const identities = await identitiesOf(parts.pool, readModels, SCHEMA);
  const first = await differencesOf(parts, readModels);
  // Only what a second comparison finds, too, was edited. An erasure destroys a farmer's data key a moment before the projector removes the
  // farmer: a comparison in between finds a row in which the log's data are already gone.
  const suspects = readModels.filter((each) => tablesOf([each]).some(({ name }) => (first.get(name) ?? []).length > 0));
  const second = suspects.length === 0 ? first : await differencesOf(parts, suspects);
  await inTransaction(parts.pool, async (client) => {
    // With these locks, a rebuild that mends the rows cannot forget them before they are recorded.
    for (const { name } of tables) await client.query(`lock table ${SCHEMA}.${name} in access share mode`);
    await assertNotSwapped(client, readModels, SCHEMA, identities);
    for (const { name } of tables) {
      const suspected = new Set((first.get(name) ?? []).map(identityOf));
      const confirmed = (second.get(name) ?? []).filter((difference) => suspected.has(identityOf(difference)));
      await recordDifferences(client, name, confirmed);
    }
  });
}

async function differencesOf(parts: ShadowParts, readModels: readonly Projection[]): Promise<Map<string, readonly Difference[]>> {
  const verified = await verifyReadModels(parts, readModels);
  return new Map(verified.map(({ projection, differences }) => [projection, differences]));
}

function identityOf({ key, kind }: Difference): string {
  return `${kind} ${key}`;
}
