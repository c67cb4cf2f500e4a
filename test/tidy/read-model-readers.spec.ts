import { describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { projections } from '../../projections/index.js';

/**
 * Files with statements that have not moved to a reader yet. A file that names a read model's table and is not in this list fails the test,
 * and so does a file in it that names none any more.
 */
const NOT_MOVED = [
  'src/app/doctor/check-checkpoints.ts',
  'src/app/metrics/store-state.ts',
  'src/contexts/erasing/eraser.ts',
  'src/contexts/webhooks/delivery-queue.ts',
  'src/contexts/webhooks/event-arrivals.ts',
  'src/contexts/webhooks/event-list.ts',
  'src/contexts/webhooks/find-endpoint.ts',
  'src/contexts/webhooks/get-webhooks.query.ts',
  'src/contexts/webhooks/list-endpoints.query.ts',
  'src/contexts/webhooks/notification-writer.ts',
  'src/contexts/webhooks/recover-deliveries.command.ts',
  'src/contexts/webhooks/register-webhook.command.ts',
];

const names = projections.map(({ name }) => name).join('|');
const TABLE = new RegExp(`\\bread\\.(${names})\\b`, 'g');

function tablesIn(text: string): string[] {
  return [...new Set([...text.matchAll(TABLE)].map(([, table = '']) => table))];
}

/** Returns the files that name a table of a read model whose folder they are not in. */
function strangers(files: Readonly<Record<string, string>>): string[] {
  const isStranger = ([file, text]: [string, string]): boolean =>
    tablesIn(text).some((table) => !file.startsWith(`projections/${table.replaceAll('_', '-')}/`));
  return Object.entries(files)
    .filter(isStranger)
    .map(([file]) => file)
    .toSorted();
}

describe("a read model's table", () => {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'src', 'projections'], { encoding: 'utf8' }).split('\n');
  // A reader says in the type of its statements which other read models it joins (src/platform/database/typed-sql.ts).
  const files = listed.filter((file) => /\.tsx?$/.test(file) && !/\.(?:spec|reader)\.ts$/.test(file));

  it('is named by its folder and by readers alone', () => {
    const texts = Object.fromEntries(files.map((file) => [file, readFileSync(file, 'utf8')]));
    expect(strangers(texts)).toStrictEqual(NOT_MOVED);
  });

  it('is reported where another file names it', () => {
    expect(
      strangers({ 'src/a.ts': 'select from read.partner p', 'projections/partner/a.ts': 'read.partner', 'src/b.ts': 'read.partners' }),
    ).toStrictEqual(['src/a.ts']);
  });
});
