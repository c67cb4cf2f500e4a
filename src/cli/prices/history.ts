import { QueryBus } from '@nestjs/cqrs';
import { Option } from 'commander';
import { csv } from '../../kernel/csv.js';
import { GetPriceBookHistory, type PublishedPriceBook } from '../../contexts/pricing/get-price-book-history.query.js';
import { publishedPriceBookView } from '../../contexts/pricing/price-book-view.js';
import { formatNaira } from '../../kernel/money.js';
import { print, table } from '../support/output.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';

type Format = 'table' | 'csv' | 'json';

export function priceHistory(group: RupaCommand, runtime: CommandRuntime): void {
  group
    .command('history')
    .reads()
    .description('every version: when, by whom, and its fees')
    .addOption(new Option('--format <format>', 'for people, spreadsheets or programs').choices(['table', 'csv', 'json']).default('table'))
    .action(async ({ format }: { format: Format }) => {
      const versions = await runtime.withApplication((app) => app.get(QueryBus).execute(new GetPriceBookHistory()));
      print(written(versions, format));
    });
}

function written(versions: readonly PublishedPriceBook[], format: Format): string {
  switch (format) {
    case 'json':
      return `${JSON.stringify(versions.map(publishedPriceBookView))}\n`;
    case 'csv':
      return csv([
        ['version', 'published_at', 'actor', 'fee', 'amount'],
        ...versions.flatMap(({ version, published_at, actor, fees_kobo }) =>
          Object.entries(fees_kobo).map(([key, kobo]) => [version, published_at, actor, key, { kobo }]),
        ),
      ]);
    case 'table':
      return `${table(['version', 'published at', 'by', 'fee', 'NGN', 'before'], versions.flatMap(feeRows), [0, 4, 5])}\n`;
  }
}

/** A line a fee; what changed shows what it was. */
function feeRows(book: PublishedPriceBook, place: number, all: readonly PublishedPriceBook[]): string[][] {
  const before = all[place - 1]?.fees_kobo;
  return Object.entries(book.fees_kobo).map(([key, fee_kobo], line) => {
    const was_kobo = before?.[key];
    const whose = line === 0 ? [String(book.version), book.published_at ?? 'built in', book.actor ?? ''] : ['', '', ''];
    return [...whose, key, formatNaira(fee_kobo), was_kobo === undefined || was_kobo === fee_kobo ? '' : formatNaira(was_kobo)];
  });
}
