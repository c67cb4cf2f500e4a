import { type INestApplicationContext } from '@nestjs/common';
import { checkpointTimes } from '../contexts/evidence/checkpoints/checkpoint-log.js';
import { EventStore } from '../platform/event-sourcing/event-store.js';
import { type Settings } from '../settings/declaration.js';
import { type Stores } from '../stores/stores.js';
import { createDemoWorld, type DemoWorld } from '../cli/demo/demo-world.js';

const FARMERS = 1_000;
const SEED = 1;

/**
 * Creates the demo world if the log is empty and DEMO, or without it the use of embedded stores, asks for it (admin, "Settings"). A log with
 * nothing but the key of its checkpoints, which the service issues at the first start, counts as empty.
 */
export async function createDemoWorldIfEmpty(
  app: INestApplicationContext,
  settings: Settings,
  stores: Pick<Stores, 'dataDir'>,
  say: (text: string) => void,
): Promise<DemoWorld | undefined> {
  if (!(settings.demo ?? stores.dataDir !== undefined)) return undefined;
  const { last, firstEvent } = await checkpointTimes(app.get(EventStore));
  if (last !== null || firstEvent !== null) return undefined;
  say(`Creating the demo world: three sandbox partners and ${FARMERS} farmers …`);
  return await createDemoWorld(app, { farmers: FARMERS, seed: SEED });
}
