import { CommandBus } from '@nestjs/cqrs';
import { InvalidArgumentError } from 'commander';
import { validateBody } from '../../http/validating/validation.js';
import { parseJson, withoutByteOrderMark } from '../../kernel/json.js';
import { parseNaira } from '../../kernel/money.js';
import { isVatPercent, VAT_PERCENT_PROBLEM } from '../../kernel/vat.js';
import { ValidationFailed } from '../../kernel/validation-failed.js';
import { PriceBookDto } from '../../contexts/pricing/publishing/pricing.dto.js';
import { ScheduleFees } from '../../contexts/pricing/scheduling/schedule-fees.command.js';
import { PublishFees } from '../../contexts/pricing/publishing/publish-fees.command.js';
import { textOfFile, wrongFile } from '../support/input.js';
import { printLine } from '../support/output.js';
import { instant } from '../support/wallet-log.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';
import { unlessWaiting } from '../support/waits-for-approval.js';

/** Adds a command that also works when the service refuses to start because the price book lacks a fee. */
export function publishPrices(command: RupaCommand, runtime: CommandRuntime): void {
  command
    .changes()
    .argument(
      '<file>',
      'JSON file as in PUT /admin/v1/price-book, {"fees": {"svc_fee.identity": 50, …}, "vat_percent": 7.5} in NGN; - for standard input',
    )
    .option('--at <time>', 'ISO 8601 time from which the fees are in force (default: effective_at of the file, or at once)', instant)
    .option('--vat <percent>', 'rate of the VAT that the fees contain (default: vat_percent of the file, or the rate in force)', percent)
    .action(async (file: string, { at, vat }: { readonly at?: string; readonly vat?: number }) => {
      const book = bookOf(command, file, await textOfFile(command, file), { effective_at: at, vat_percent: vat });
      if (book.effective_at != null) {
        const scheduled = await runtime.withApplication((app) =>
          unlessWaiting(app.get(CommandBus).execute(new ScheduleFees(book, runtime.actor))),
        );
        if (scheduled !== undefined)
          printLine(`The price book will be in force from ${book.effective_at}. Cancel it with: rupa prices cancel`);
        return;
      }
      const published = await runtime.withApplication((app) =>
        unlessWaiting(app.get(CommandBus).execute(new PublishFees(book, runtime.actor))),
      );
      if (published) printLine(`Price book version ${published.version} is in force.`);
    });
}

/** Parses an option that is a rate of VAT. */
function percent(text: string): number {
  const hundredths = parseNaira(text.trim());
  if (hundredths === undefined || !isVatPercent(hundredths / 100)) throw new InvalidArgumentError(`It ${VAT_PERCENT_PROBLEM}.`);
  return hundredths / 100;
}

interface Options {
  readonly effective_at: string | undefined;
  readonly vat_percent: number | undefined;
}

/** @param options what replaces the fields of the file */
function bookOf(command: RupaCommand, file: string, json: string, options: Options): PriceBookDto {
  try {
    const sent = parseJson(withoutByteOrderMark(json));
    const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
    return validateBody(PriceBookDto, Object.keys(given).length === 0 ? sent : { ...(sent as object), ...given });
  } catch (error) {
    if (error instanceof SyntaxError) wrongFile(command, file, `It is not valid JSON: ${error.message}`);
    if (error instanceof ValidationFailed) wrongFile(command, file, error.sentences.join('\n'));
    throw error;
  }
}
