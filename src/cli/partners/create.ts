import { CommandBus } from '@nestjs/cqrs';
import { Option } from 'commander';
import { RegisterPartnerDto } from '../../contexts/partners/registering/partners.dto.js';
import { RegisterPartner } from '../../contexts/partners/registering/register-partner.command.js';
import { validateBody } from '../../http/validating/validation.js';
import { ACCOUNT_TYPES, type AccountType, type Mode, MODES } from '../../kernel/accounts.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';
import { printLine } from '../support/output.js';

export function createPartner(command: RupaCommand, runtime: CommandRuntime): void {
  command
    .changes()
    .argument('<company>', 'name of the company')
    .addOption(new Option('--type <type>', 'account type').choices(ACCOUNT_TYPES).makeOptionMandatory())
    .addOption(new Option('--mode <mode>', 'live for real money, sandbox for play money').choices(MODES).default('live'))
    .action(async (company: string, { type, mode }: { type: AccountType; mode: Mode }) => {
      const partner = validateBody(RegisterPartnerDto, { company_name: company, account_type: type, mode });
      const { partner_id } = await runtime.withApplication((app) =>
        app.get(CommandBus).execute(new RegisterPartner(partner, runtime.actor)),
      );
      printLine(partner_id);
    });
}
