import { type INestApplicationContext } from '@nestjs/common';
import { EventStore } from '../platform/event-sourcing/event-store.js';
import { hasOnly } from '../platform/event-sourcing/reading/read-log.js';
import { type Settings } from '../settings/declaration.js';
import { type Role } from '../settings/types.js';
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

/** Returns the text that `npm start` prints: addresses, the data folder, the demo partners' keys and a lookup to paste. */
export function welcome(address: string, roles: readonly Role[], stores: Pick<Stores, 'dataDir'>, demo: DemoWorld | undefined): string {
  const lines = ['', `  Rupa is up:   ${address}`, `  Roles:        ${roles.join(', ')}`];
  lines.push(roles.includes('api') ? `  API docs:     ${address}/docs` : `  Health only:  ${address}/health`);
  if (roles.includes('api') && roles.includes('console')) lines.push(`  Console:      ${address}/console`);
  if (stores.dataDir) lines.push(`  Data, tokens: ${stores.dataDir}  (admin and auditor tokens: secrets.json)`);
  if (demo) {
    lines.push('', `  ${demo.farmers} sandbox farmers, and three partners with funded wallets:`);
    for (const { account_type, company_name, api_key } of demo.partners)
      lines.push(`    ${account_type.padEnd(8)} ${company_name.padEnd(28)} ${api_key}`);
    lines.push('', '  A lookup to paste:', '', demoCurl(address, demo));
  }
  return [...lines, ''].join('\n');
}

function demoCurl(address: string, { partners, rupaId }: DemoWorld): string {
  const key = partners[0]?.api_key ?? '<API_KEY>';
  return `curl -s ${address}/v1/rupa/lookup -H 'X-API-KEY: ${key}' -H 'Content-Type: application/json' -d '{"rupa_id":"${rupaId}"}'`;
}
