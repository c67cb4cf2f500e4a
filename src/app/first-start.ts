import { type INestApplicationContext } from '@nestjs/common';
import { EventStore } from '../platform/event-sourcing/event-store.js';
import { hasOnly } from '../platform/event-sourcing/reading/has-only.js';
import { type Settings } from '../settings/declaration.js';
import { type Stores } from '../stores/stores.js';
import { createDemoWorld, type DemoWorld } from '../cli/demo/demo-world.js';

const FARMERS = 1_000;
const SEED = 1;
/** Categories of the events that a service appends by itself: its prices, its checkpoints' key, and checkpoints. */
const OF_A_START = ['pricebook', 'checkpoint_keys', 'checkpoints'];

/**
 * Creates the demo world if the log is empty and DEMO, or without it the use of embedded stores, asks for it (admin, "Settings"). A log with
 * nothing but what a service without callers appends counts as empty.
 */
export async function createDemoWorldIfEmpty(
  app: INestApplicationContext,
  settings: Settings,
  stores: Pick<Stores, 'dataDir'>,
  say: (text: string) => void,
): Promise<DemoWorld | undefined> {
  if (!(settings.demo ?? stores.dataDir !== undefined)) return undefined;
  if (!(await hasOnly(app.get(EventStore), OF_A_START))) return undefined;
  say(`Creating the demo world: three sandbox partners and ${FARMERS} farmers …`);
  return await createDemoWorld(app, { farmers: FARMERS, seed: SEED });
}
