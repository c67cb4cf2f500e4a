import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ChangePartner } from '../../contexts/partners/registering/change-partner.command.js';
import { GetPartner } from '../../contexts/partners/registering/get-partners.query.js';
import { IpAllowListDto } from '../../contexts/partners/registering/partners.dto.js';
import { validateBody } from '../../http/validating/validation.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';
import { id, listed } from '../support/values.js';
import { printLine } from '../support/output.js';

export function setAllowList(command: RupaCommand, runtime: CommandRuntime): void {
  command
    .changes()
    .argument('<partner>', 'id of the partner', id)
    .argument('<cidrs>', 'addresses and networks separated by commas, which replace the former ones; an empty text allows every address')
    .action(async (partnerId: string, networks: string) => {
      const allowList = validateBody(IpAllowListDto, { cidrs: listed(networks) });
      const changed = await runtime.withApplication(async (app) => {
        await app.get(CommandBus).execute(new ChangePartner(partnerId, allowList, runtime.actor));
        return await app.get(QueryBus).execute(new GetPartner(partnerId));
      });
      printLine(changed.ip_allow_list.join(',') || 'every address is allowed');
    });
}
