import { QueryBus } from '@nestjs/cqrs';
import { GetPartner } from '../../contexts/partners/registering/get-partners.query.js';
import { type PartnerView } from '../../contexts/partners/registering/partner-responses.dto.js';
import { formatNaira, toKobo } from '../../kernel/money.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';
import { printLine } from '../support/output.js';
import { table } from '../support/table.js';
import { id } from '../support/values.js';

export function showPartner(command: RupaCommand, runtime: CommandRuntime): void {
  command
    .reads()
    .argument('<partner>', 'id of the partner', id)
    .option('--json', 'print as JSON')
    .action(async (partnerId: string, { json }: { readonly json?: true }) => {
      const found = await runtime.withApplication((app) => app.get(QueryBus).execute(new GetPartner(partnerId)));
      printLine(json ? JSON.stringify(found) : factsOf(found));
    });
}

function factsOf({ wallet_balance, compliance, ...partner }: PartnerView): string {
  const { lookups, contributions_expected, contributions_received, compliance_rate } = compliance;
  return table(
    ['partner', partner.partner_id],
    [
      ['company', partner.company_name],
      ['customer number', partner.customer_number.toString()],
      ['type and mode', `${partner.account_type}, ${partner.mode}`],
      ['status', partner.status],
      ['optional sections', partner.optional_sections.join(', ') || 'none'],
      ['may call from', partner.ip_allow_list.join(', ') || 'everywhere'],
      ['balance (NGN)', formatNaira(toKobo(wallet_balance))],
      ['compliance', `${contributions_received} of ${contributions_expected} contributions for ${lookups} lookups: ${compliance_rate}`],
    ],
  );
}
