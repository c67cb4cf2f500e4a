import { type Command } from 'commander';
import { walletExplain } from './wallet-explain.js';
import { walletExport } from './wallet-export.js';
import { walletReplay } from './wallet-replay.js';
import { walletVerify } from './wallet-verify.js';

/** What an auditor asks of the log. */
export function wallet(program: Command): void {
  const group = program.command('wallet').description('partners’ wallets, as the log has them');
  for (const add of [walletReplay, walletVerify, walletExport, walletExplain]) add(group);
}
