import { compiled, run } from '../support/child-programs.js';
import { type CleanUp } from '../support/clean-up.js';
import { type Partner } from './calls.js';

/** Appends charges of one farmer to a wallet, as the service writes them, in another process. */
export async function fillWallet(
  cleanUp: CleanUp,
  eventStoreUrl: string,
  { partner, farmer, entries }: { readonly partner: Partner; readonly farmer: string; readonly entries: number },
): Promise<void> {
  const args = ['--url', eventStoreUrl, '--partner', partner.partner_id, '--farmer', farmer, '--entries', String(entries)];
  await run(cleanUp, process.execPath, [compiled('bench/workers/fill-wallet.js'), ...args]);
}
