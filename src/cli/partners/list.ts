import { QueryBus } from '@nestjs/cqrs';
import { ListPartners } from '../../contexts/partners/registering/get-partners.query.js';
import { type PartnerView } from '../../contexts/partners/registering/partner-responses.dto.js';
import { formatNaira, toKobo } from '../../kernel/money.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';
import { printLine } from '../support/output.js';
import { table } from '../support/table.js';

export function listPartners(command: RupaCommand, runtime: CommandRuntime): void {
  command
    .reads()
    .option('--json', 'print as JSON')
    .action(async ({ json }: { readonly json?: boolean }) => {
      const found = await runtime.withApplication(async (app) => {
        await using all = await app.get(QueryBus).execute(new ListPartners());
        return await Array.fromAsync(all.partners);
      });
      printLine(json ? JSON.stringify(found) : partnerTable(found));
    });
}

function partnerTable(found: readonly PartnerView[]): string {
  const rows = found.map(({ partner_id, company_name, account_type, mode, status, wallet_balance }) => [
    partner_id,
    company_name,
    account_type,
    mode,
    status,
    formatNaira(toKobo(wallet_balance)),
  ]);
  return table(['id', 'company', 'type', 'mode', 'status', 'balance (NGN)'], rows, [5]);
}
