import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ChangePartner } from '../../contexts/partners/registering/change-partner.command.js';
import { GetPartner } from '../../contexts/partners/registering/get-partners.query.js';
import { OptionalSectionsDto } from '../../contexts/partners/registering/partners.dto.js';
import { validateBody } from '../../http/validating/validation.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';
import { id, listed } from '../support/values.js';
import { printLine } from '../support/output.js';

export function setSections(command: RupaCommand, runtime: CommandRuntime): void {
  command
    .changes()
    .argument('<partner>', 'id of the partner', id)
    .argument('<sections>', 'names of sections separated by commas, which replace the former ones; an empty text for none')
    .action(async (partnerId: string, names: string) => {
      const sections = validateBody(OptionalSectionsDto, { sections: listed(names) });
      const changed = await runtime.withApplication(async (app) => {
        await app.get(CommandBus).execute(new ChangePartner(partnerId, sections, runtime.actor));
        return await app.get(QueryBus).execute(new GetPartner(partnerId));
      });
      printLine(changed.optional_sections.join(',') || 'no optional sections');
    });
}
