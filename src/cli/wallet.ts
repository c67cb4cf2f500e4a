import { type Command } from 'commander';
import { walletExplain } from './wallet-explain.js';
import { walletExport } from './wallet-export.js';
import { walletReplay } from './wallet-replay.js';
import { walletStatement } from './wallet-statement.js';
import { walletVerify } from './wallet-verify.js';

/** What auditors and book-keepers ask about wallets. */
export function wallet(program: Command): void {
  const group = program.command('wallet').description('partners’ prepaid money, as the log has it');
  for (const add of [walletReplay, walletVerify, walletExport, walletStatement, walletExplain]) add(group);
}
