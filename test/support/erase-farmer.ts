import { randomUUID } from 'node:crypto';
import { FarmerStream } from '../../src/farmers/farmer-stream.js';
import { type Stack } from './stack.js';

/** A farmer that is registered and not erased yet is: the event first, then the key, which leaves its tombstone. */
export async function eraseFarmer({ eventStore, codec, pool }: Stack, rupa_id: string): Promise<void> {
  const { state } = await new FarmerStream(eventStore, codec).load(rupa_id);
  if (state.status !== 'registered') return;
  const stream = `farmer-${rupa_id}`;
  const last = await eventStore.lastEvent(stream);
  const data = { rupa_id, recorded_at: '2026-11-21T10:00:00.000Z', actor: 'test' };
  const metadata = { $correlationId: randomUUID(), $causationId: randomUUID(), schema_version: 1 };
  await eventStore.append(stream, [{ id: randomUUID(), type: 'FarmerErased', data, metadata }], last?.revision ?? -1n);
  await pool.query('update key_store.data_key set wrapped = null, destroyed_at = now() where rupa_id = $1', [rupa_id]);
}
