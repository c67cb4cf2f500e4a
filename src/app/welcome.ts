import { type DemoWorld } from '../cli/demo/demo-world.js';
import { type Role } from '../settings/types.js';
import { type Stores } from '../stores/stores.js';

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
