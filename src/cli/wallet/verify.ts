import { type INestApplicationContext } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ReadModels } from '../../platform/projecting/read-models.js';
import { ListPartners } from '../../contexts/partners/registering/get-partners.query.js';
import { HistoryMissing } from '../../platform/event-sourcing/event-store.js';
import { type ChainHead, type WalletFault, type WalletVerification } from '../../contexts/wallet/domain/verify-wallet.js';
import { verificationView, VerifyWallet } from '../../contexts/wallet/verifying/verify-wallet.query.js';
import { printable, printLine } from '../support/output.js';
import { chainHead, findWallet, headText, walletProgress } from '../support/wallet-log.js';
import { id } from '../support/values.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';

interface Options {
  readonly since?: ChainHead;
  readonly json?: boolean;
}

interface Verified {
  readonly partner_id: string;
  readonly company_name: string;
  readonly verification: WalletVerification;
}

export function verifyWallets(command: RupaCommand, runtime: CommandRuntime): void {
  command
    .reads()
    .argument('[partner]', 'id of the partner (default: all partners)', id)
    .option('--since <revision:hash>', 'head noted earlier, which must still be in the chain', chainHead)
    .option('--json', 'print as JSON: an object for one partner, a list for all')
    .action(async (partnerId: string | undefined, { since, json }: Options) => {
      if (since && partnerId === undefined) command.error('error: --since needs the id of the partner whose head it is');
      const began = performance.now();
      const broken = await runtime.withApplication(async (app) => {
        const ids = partnerId === undefined ? await allPartners(app) : [partnerId];
        const verified: Verified[] = [];
        for (const id of ids) {
          const each = await verify(app, id, since);
          if (!json) printLine(sentence(each));
          verified.push(each);
        }
        if (!json) printLine(summary(verified, new Date().toISOString(), performance.now() - began));
        if (json) printLine(JSON.stringify(partnerId === undefined ? verified.map(jsonOf) : verified.map(jsonOf)[0]));
        return verified.filter(({ verification }) => !verification.ok).length;
      });
      if (broken > 0) process.exitCode = 1;
    });
}

async function allPartners(app: INestApplicationContext): Promise<string[]> {
  if (!(await app.get(ReadModels).waitForAll()))
    throw new Error('The list of partners is not up to date yet. Try again, or name a partner.');
  await using found = await app.get(QueryBus).execute(new ListPartners());
  return await Array.fromAsync(found.partners, ({ partner_id }) => partner_id);
}

/** A wallet whose history is missing must not keep the others from being verified. */
async function verify(app: INestApplicationContext, partner_id: string, since: ChainHead | undefined): Promise<Verified> {
  try {
    return await verifyWhole(app, partner_id, since);
  } catch (error) {
    if (!(error instanceof HistoryMissing)) throw error;
    const fault: WalletFault = { revision: 0, rule: 'revision', message: error.message };
    const verification = { ok: false, entries: 0, head: null, open_charges: 0, skipped: [], fault };
    return { partner_id, company_name: error.stream, verification };
  }
}

async function verifyWhole(app: INestApplicationContext, partner_id: string, since: ChainHead | undefined): Promise<Verified> {
  const { company_name, entries } = await findWallet(app, partner_id);
  const bar = walletProgress(printable(company_name), entries);
  try {
    const onPage = (count: number): void => {
      bar.advance(count);
    };
    const verification = await app.get(QueryBus).execute(new VerifyWallet(partner_id, { since, onPage }));
    return { partner_id, company_name, verification };
  } finally {
    bar.stop();
  }
}

function jsonOf({ partner_id, verification }: Verified): object {
  const { ok, entries, head, open_charges, skipped, fault } = verificationView(verification);
  return { partner_id, ok, entries, head, open_charges, ...(skipped ? { skipped } : {}), fault };
}

function sentence({ partner_id, company_name, verification }: Verified): string {
  const { entries, head, open_charges, skipped, fault } = verification;
  const who = `${printable(company_name)} (${partner_id})`;
  if (fault) return `${who}: FAULT at revision ${fault.revision} (${fault.rule}): ${fault.message} Valid entries: ${entries}.`;
  if (!head) return `${who}: valid; no entries.`;
  const passedOver = skipped.length > 0 ? `, skipped by an operator: revision ${skipped.join(', ')}` : '';
  return `${who}: valid; ${entries} entries, ${open_charges} open charges, head ${headText(head)}${passedOver}`;
}

/** Says what was verified, so that an empty result cannot be taken for a check of everything. */
function summary(verified: readonly Verified[], at: string, ms: number): string {
  const count = (number: number, one: string, many = `${one}s`): string => `${number} ${number === 1 ? one : many}`;
  const valid = verified.map(({ verification }) => verification);
  const entries = valid.reduce((sum, each) => sum + each.entries, 0);
  const heads = valid.filter(({ head }) => head !== null).length;
  const faults = valid.filter(({ ok }) => !ok).length;
  const what = `${count(verified.length, 'wallet')}, ${count(entries, 'valid entry', 'valid entries')}, ${count(heads, 'head')}`;
  return `Verified at ${at}: ${what}, ${count(faults, 'wallet')} with a fault; took ${(ms / 1_000).toFixed(1)} s`;
}
