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
  'ops.notified_event': 'src/contexts/webhooks/notifying/',
  'ops.api_key_use': 'src/contexts/partners/keys/partner-directory.ts',
  'ops.api_key_end': 'src/contexts/partners/keys/key-ends.ts',
  'ops.deactivated_key': 'src/contexts/partners/keys/key-ends.ts',
  'ops.projection_job': 'src/contexts/rebuilding/',
  'ops.verification': 'src/contexts/rebuilding/verifying/verification-lease.ts',
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

const WORD = '[a-z_]+';
/** A read model's table in a statement, with its alias. */
const ALIASED = new RegExp(
  `\\b(?:from|join) read\\.(?<table>${WORD})(?: as)? (?!(?:where|on|order|group|limit|cross|left|join)\\b)(?<alias>${WORD})\\b`,
  'g',
);

/** Returns a text without what its templates insert, such as the columns of `columnsOf`. */
function withoutInserts(text: string): string {
  const rest = text.replaceAll(/\$\{[^{}]*\}/g, '');
  return rest === text ? text : withoutInserts(rest);
}

/** Returns each column of a read model that a statement names in its text, where no compiler sees that it was renamed. */
function untyped(text: string): string[] {
  return [...withoutInserts(text).matchAll(/`[^`]*`/g)].flatMap(([statement]) =>
    [...statement.matchAll(ALIASED)].flatMap(({ groups: { table = '', alias = '' } = {} }) => {
      // The alias of a subselect can be the same.
      if (new RegExp(`\\) ${alias}\\b|\\bfrom (?!read\\.)${WORD} ${alias}\\b`).test(statement)) return [];
      const columns = [...statement.matchAll(new RegExp(`(?<![\\w.])${alias}\\.${WORD}`, 'g'))];
      return columns.map(([column]) => `${table}: ${column}`);
    }),
  );
}

/** Returns the operational tables that the statements of migrations leave behind. */
function migrated(statements: string): string[] {
  const tables = new Set<string>();
  const changes = /(?<what>create table|drop table if exists|drop table|alter table) (?<table>ops\.\w+)(?: rename to (?<name>\w+))?/g;
  for (const { groups: { what = '', table = '', name } = {} } of statements.matchAll(changes)) {
    if (what === 'create table') tables.add(table);
    if (what.startsWith('drop') || name !== undefined) tables.delete(table);
    if (name !== undefined) tables.add(`ops.${name}`);
  }
  return [...tables].sort();
}

describe('a table', () => {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'src', 'projections'], { encoding: 'utf8' }).split('\n');
  const files = listed.filter(
    (file) => /\.tsx?$/.test(file) && !file.endsWith('.spec.ts') && !/^src\/stores\/.*migrations\.ts$/.test(file),
  );

  it('is named by its owner, and by statements of other owners that declare what they join', () => {
    expect(strangers(Object.fromEntries(files.map((file) => [file, readFileSync(file, 'utf8')])))).toStrictEqual([]);
  });

  it('has one owner, if it is operational', () => {
    const migrations = ['released-migrations', 'migrations'].map((name) => readFileSync(`src/stores/${name}.ts`, 'utf8'));
    expect(migrated(migrations.join('\n'))).toStrictEqual(Object.keys(OPERATIONAL).sort());
    expect(migrated('create table ops.a (); create table ops.b (); alter table ops.a rename to c; drop table ops.b')).toStrictEqual([
      'ops.c',
    ]);
  });

  it('has the columns of its entity in every statement, if it is a read model', () => {
    expect(files.flatMap((file) => untyped(readFileSync(file, 'utf8')).map((found) => `${file}: ${found}`))).toStrictEqual([]);
    expect(
      ['`select ${p.mode} from read.partner p where p.name = 1 and ${p.mode} = 2`', '`select x.a from (select from read.partner x) x`'].map(
        untyped,
      ),
    ).toStrictEqual([['partner: p.name'], []]);
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
