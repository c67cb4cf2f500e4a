import { CommandBus } from '@nestjs/cqrs';
import { validateBody } from '../../http/validating/validation.js';
import { parseJson, withoutByteOrderMark } from '../../kernel/json.js';
import { ValidationFailed } from '../../kernel/validation-failed.js';
import { PriceBookDto } from '../../contexts/pricing/publishing/pricing.dto.js';
import { ScheduleFees } from '../../contexts/pricing/scheduling/schedule-fees.command.js';
import { PublishFees } from '../../contexts/pricing/publishing/publish-fees.command.js';
import { textIn } from '../../platform/utf8.js';
import { openInput, wrongFile } from '../support/input.js';
import { printLine } from '../support/output.js';
import { instant } from '../support/wallet-log.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';

/** Adds a command that also works when the service refuses to start because the price book lacks a fee. */
export function publishPrices(command: RupaCommand, runtime: CommandRuntime): void {
  command
    .changes()
    .argument('<file>', 'JSON file as in PUT /admin/v1/price-book, {"fees": {"svc_fee.identity": 50, …}} in NGN; - for standard input')
    .option('--at <time>', 'ISO 8601 time from which the fees are in force (default: effective_at of the file, or at once)', instant)
    .action(async (file: string, { at }: { readonly at?: string }) => {
      const book = bookOf(command, file, await contentOf(command, file), at);
      if (book.effective_at != null) {
        await runtime.withApplication((app) => app.get(CommandBus).execute(new ScheduleFees(book, runtime.actor)));
        printLine(`The price book will be in force from ${book.effective_at}. Cancel it with: rupa prices cancel`);
        return;
      }
      const { version } = await runtime.withApplication((app) => app.get(CommandBus).execute(new PublishFees(book, runtime.actor)));
      printLine(`Price book version ${version} is in force.`);
    });
}

async function contentOf(command: RupaCommand, file: string): Promise<string> {
  try {
    return await textIn(openInput(file).stream);
  } catch (error) {
    return wrongFile(command, file, `It cannot be read: ${(error as Error).message}`);
  }
}

/** @param at the time of the option, which replaces that of the file */
function bookOf(command: RupaCommand, file: string, json: string, at: string | undefined): PriceBookDto {
  try {
    const sent = parseJson(withoutByteOrderMark(json));
    return validateBody(PriceBookDto, at === undefined ? sent : { ...(sent as object), effective_at: at });
  } catch (error) {
    if (error instanceof SyntaxError) wrongFile(command, file, `It is not valid JSON: ${error.message}`);
    if (error instanceof ValidationFailed) wrongFile(command, file, error.sentences.join('\n'));
    throw error;
  }
}
