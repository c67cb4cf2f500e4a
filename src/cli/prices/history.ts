import { QueryBus } from '@nestjs/cqrs';
import { csv } from '../../kernel/csv.js';
import { type PublishedPriceBook } from '../../contexts/pricing/domain/price-timeline.js';
import { GetPriceBookHistory } from '../../contexts/pricing/showing/get-price-book.query.js';
import { publishedPriceBookView } from '../../contexts/pricing/showing/price-book-view.js';
import { formatNaira } from '../../kernel/money.js';
import { addFormats, formatOf, type FormatOptions, printText } from '../support/output.js';
import { table } from '../support/table.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';

const FORMATS = ['table', 'csv', 'json'] as const;
type Format = (typeof FORMATS)[number];

export function priceHistory(command: RupaCommand, runtime: CommandRuntime): void {
  addFormats(command, FORMATS)
    .reads()
    .action(async (options: FormatOptions<Format>) => {
      const versions = await runtime.withApplication(async (app) =>
        Array.fromAsync(await app.get(QueryBus).execute(new GetPriceBookHistory())),
      );
      printText(formatted(versions, formatOf(options)));
    });
}

function formatted(versions: readonly PublishedPriceBook[], format: Format): string {
  switch (format) {
    case 'json':
      return `${JSON.stringify(versions.map(publishedPriceBookView))}\n`;
    case 'csv':
      return csv([
        ['version', 'published_at', 'effective_at', 'actor', 'fee', 'amount', 'vat_percent'],
        ...versions.flatMap(({ version, published_at, effective_at, actor, vat_percent, fees_kobo }) =>
          Object.entries(fees_kobo).map(([key, kobo]) => [version, published_at, effective_at, actor, key, { kobo }, vat_percent]),
        ),
      ]);
    case 'table':
      return `${table(['version', 'published', 'effective', 'by', 'VAT %', 'fee', 'NGN', 'before'], versions.flatMap(feeRows), [0, 4, 6, 7])}\n`;
  }
}

/** Returns a row per fee. The last column has the previous fee if it differs. */
function feeRows(book: PublishedPriceBook, index: number, all: readonly PublishedPriceBook[]): string[][] {
  const previous = all[index - 1]?.fees_kobo;
  return Object.entries(book.fees_kobo).map(([key, fee_kobo], line) => {
    const previous_kobo = previous?.[key];
    const { published_at, effective_at, actor, vat_percent } = book;
    const facts = [String(book.version), published_at ?? 'built in', effective_at ?? '', actor ?? '', String(vat_percent)];
    const version = line === 0 ? facts : facts.map(() => '');
    const changed = previous_kobo !== undefined && previous_kobo !== fee_kobo;
    return [...version, key, formatNaira(fee_kobo), changed ? formatNaira(previous_kobo) : ''];
  });
}
