import { QueryBus } from '@nestjs/cqrs';
import { GetPartners } from '../../contexts/partners/get-partners.query.js';
import { type PartnerView } from '../../contexts/partners/partner-responses.dto.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';
import { printLine, table } from '../support/output.js';

export function listPartners(group: RupaCommand, runtime: CommandRuntime): void {
  group
    .command('list')
    .reads()
    .description('list all partners with mode, status and balance')
    .option('--json', 'print as JSON')
    .action(async ({ json }: { readonly json?: boolean }) => {
      const found = await runtime.withApplication((app) => app.get(QueryBus).execute(new GetPartners()));
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
    wallet_balance.toLocaleString('en-NG', { minimumFractionDigits: 2 }),
  ]);
  return table(['id', 'company', 'type', 'mode', 'status', 'balance (NGN)'], rows, [5]);
}
