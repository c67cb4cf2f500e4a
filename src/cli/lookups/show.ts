import { QueryBus } from '@nestjs/cqrs';
import { ExplainLookup, type LookupExplanation } from '../../contexts/lookups/explaining/explain-lookup.query.js';
import { FindLookupsQueryDto } from '../../contexts/lookups/explaining/lookup-explanation.dto.js';
import { ExplainRequest } from '../../contexts/lookups/listing/find-lookups.query.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';
import { lookupText } from '../support/lookup-text.js';
import { printLine } from '../support/output.js';
import { fieldOf, id } from '../support/values.js';

interface Options {
  readonly requestId?: string;
  readonly json?: true;
}

export function showLookups(command: RupaCommand, runtime: CommandRuntime): void {
  command
    .reads()
    .argument('[id]', 'id of the lookup, as in the response’s billing or in the entries of the wallet', id)
    .option(
      '--request-id <text>',
      'X-Request-Id of the response, instead of the id of a lookup',
      fieldOf(FindLookupsQueryDto, 'request_id'),
    )
    .option('--json', 'print as JSON: an object for a lookup, a list for a request')
    .action(async (lookupId: string | undefined, { requestId, json }: Options) => {
      if ((lookupId === undefined) === (requestId === undefined))
        command.error('error: name either the id of a lookup or a request with --request-id');
      const found = await runtime.withApplication(async (app): Promise<readonly LookupExplanation[]> => {
        const queries = app.get(QueryBus);
        if (requestId !== undefined) return await queries.execute(new ExplainRequest(requestId));
        const explained = await queries.execute(new ExplainLookup(lookupId ?? ''));
        return explained ? [explained] : [];
      });
      if (found.length === 0) throw new Error('No such lookup was ever charged.');
      if (json) printLine(JSON.stringify(requestId === undefined ? found[0] : found));
      else printLine(found.map(lookupText).join('\n\n'));
    });
}
