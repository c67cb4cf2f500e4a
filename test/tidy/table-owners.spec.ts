import { describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { projections } from '../../projections/index.js';
import { tablesOf } from '../../src/platform/projecting/projection.js';

/** The file or folder whose statements read and write an operational table. The migrations in src/stores define the columns. */
const OPERATIONAL: Readonly<Record<string, string>> = {
  'ops.checkpoint': 'src/platform/projecting/',
  'ops.rebuild': 'src/platform/projecting/',
  'ops.directory': 'src/platform/projecting/',
  'ops.instance': 'src/platform/projecting/',
  'ops.forged_row': 'src/platform/projecting/forged-rows.ts',
  'ops.unusable_event': 'src/platform/unusable-events/unusable-table.ts',
  'ops.set_aside': 'src/platform/unusable-events/unusable-table.ts',
  'ops.stored_response': 'src/platform/stored-responses/stored-response-table.ts',
  'ops.webhook_delivery': 'src/contexts/webhooks/',
  'ops.webhook_health': 'src/contexts/webhooks/',
  'ops.notification': 'src/contexts/webhooks/',
  'ops.notification_recipient': 'src/contexts/webhooks/',
  'ops.api_key_use': 'src/contexts/partners/keys/api-key-uses.ts',
  'ops.api_key_end': 'src/contexts/partners/keys/key-ends.ts',
  'ops.deactivated_key': 'src/contexts/partners/keys/deactivated-keys.ts',
  'ops.projection_job': 'src/contexts/rebuilding/',
  'ops.verification': 'src/contexts/rebuilding/verification-lease.ts',
  'ops.log_tile': 'src/contexts/evidence/tree/log-tile-table.ts',
  'ops.checkpoint_cosignature': 'src/contexts/evidence/witnesses/cosignature-table.ts',
  'ops.console_session': 'src/console/sessions/session-store.ts',
  'ops.figure': 'src/contexts/figures/figure-table.ts',
  'ops.process': 'src/contexts/figures/figure-table.ts',
};

const folderOf = (name: string): string => `projections/${name.replaceAll('_', '-')}/`;
const OWNERS = new Map([
  ...tablesOf(projections).map(({ name }) => [`read.${name}`, folderOf(name)] as const),
  ...Object.entries(OPERATIONAL),
]);
const TABLE = new RegExp(`\\b(?:${[...OWNERS.keys()].map((name) => name.replace('.', '\\.')).join('|')})\\b`, 'g');

function tablesIn(text: string): string[] {
  return [...new Set(text.match(TABLE))];
}

function owns(file: string, table: string): boolean {
  return file.startsWith(OWNERS.get(table) ?? '?');
}

/**
 * Returns whether the file says which columns of the table it joins to its own: it imports the table's row, or declares the columns that it
 * needs as a type.
 */
function declares(text: string, table: string): boolean {
  const owner = OWNERS.get(table) ?? '?';
  const name = owner.split('/').at(-2) ?? '';
  const imported = owner.startsWith('src/') ? owner.slice('src/'.length).replace(/\.ts$/, '.js') : `/${name}/${name}.projection.js'`;
  return text.includes(imported) || text.includes(`'${table}': {`);
}

/** Returns each table that a file names without owning it, except one that it joins to its own table and declares. */
function strangers(files: Readonly<Record<string, string>>): string[] {
  return Object.entries(files).flatMap(([file, text]) => {
    const tables = tablesIn(text);
    const isOwner = tables.some((table) => owns(file, table));
    return tables.filter((table) => !owns(file, table) && !(isOwner && declares(text, table))).map((table) => `${file}: ${table}`);
  });
}

describe('a table', () => {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'src', 'projections'], { encoding: 'utf8' }).split('\n');
  const files = listed.filter(
    (file) => /\.tsx?$/.test(file) && !file.endsWith('.spec.ts') && !/^src\/stores\/.*migrations\.ts$/.test(file),
  );

  it('is named by its owner, and by statements of other owners that declare what they join', () => {
    expect(strangers(Object.fromEntries(files.map((file) => [file, readFileSync(file, 'utf8')])))).toStrictEqual([]);
  });

  it('is reported where another file names it', () => {
    const partner = "from '../partner/partner.projection.js'";
    expect(
      strangers({
        'src/a.ts': `${partner}; select from read.partner p`,
        'src/b.ts': 'read.partners',
        'projections/partner/partner.reader.ts': 'read.partner',
        'projections/api-key/undeclared.reader.ts': 'read.api_key read.partner',
        'projections/api-key/declared.reader.ts': `${partner}; read.api_key read.partner`,
        'src/contexts/webhooks/a.ts': "ops.notification; { 'read.partner': { id: string } }",
      }),
    ).toStrictEqual(['src/a.ts: read.partner', 'projections/api-key/undeclared.reader.ts: read.partner']);
  });
});
