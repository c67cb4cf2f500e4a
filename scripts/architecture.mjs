// `npm run architecture`: draws the folders and their imports into docs/architecture.md; with --check it only says whether the page is right.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const PAGE = 'docs/architecture.md';
/** From top to bottom: an import goes to the same floor or to one below it. */
const FLOORS = ['src/app', 'src/cli', 'src/contexts', 'projections', 'src/http', 'domain', 'src/platform', 'src/kernel'];
const LABELS = { domain: 'src/contexts/*/domain' };

const arguments_ = ['depcruise', '--config', '.dependency-cruiser.cjs', '--output-type', 'json', 'src', 'projections'];
const { modules } = JSON.parse(execFileSync('npx', arguments_, { encoding: 'utf8', maxBuffer: 256 * 1024 * 1024 }));

function floorOf(path) {
  if (/^src\/contexts\/[^/]+\/domain\//.test(path)) return 'domain';
  return FLOORS.find((floor) => path.startsWith(`${floor}/`));
}

/** A context; its ground floor, which others may know, is left out. */
function contextOf(path) {
  return /^src\/contexts\/([^/]+)\/(?!domain\/)/.exec(path)?.[1];
}

/** Which places import which, in the order of their names; not how often, so that the page changes only with the structure. */
function edges(placeOf) {
  const found = new Set();
  for (const { source, dependencies } of modules) {
    if (source.endsWith('.spec.ts')) continue;
    for (const { resolved } of dependencies) {
      const [from, to] = [placeOf(source), placeOf(resolved)];
      if (from === undefined || to === undefined || from === to) continue;
      found.add(`${from} ${to}`);
    }
  }
  return [...found].sort().map((edge) => edge.split(' '));
}

const id = (name) => name.replaceAll(/[^a-z]/g, '_');
const arrow = ([from, to]) => `  ${id(from)} --> ${id(to)}`;
const chart = (lines) => ['```mermaid', 'flowchart TB', ...lines, '```'].join('\n');

const wings = edges(floorOf);
const upwards = wings.filter(([from, to]) => FLOORS.indexOf(to) < FLOORS.indexOf(from));
const contexts = edges(contextOf);
const names = [...new Set(modules.flatMap(({ source }) => contextOf(source) ?? []))].sort();

const drawn = {
  wings: chart([...FLOORS.map((floor) => `  ${id(floor)}["${LABELS[floor] ?? floor}"]`), ...wings.map(arrow)]),
  contexts: chart([...names.map((name) => `  ${id(name)}["${name}"]`), ...contexts.map(arrow)]),
};

const before = readFileSync(PAGE, 'utf8');
const after = Object.entries(drawn).reduce(
  (page, [name, graph]) => page.replace(new RegExp(`(<!-- ${name} -->\n)[^]*?(<!-- /${name} -->)`), `$1\n${graph}\n\n$2`),
  before,
);

if (upwards.length > 0) {
  console.error(`Imports that go up: ${upwards.map(([from, to]) => `${from} to ${to}`).join(', ')}`);
  process.exitCode = 1;
} else if (!process.argv.includes('--check')) {
  writeFileSync(PAGE, after);
  console.log(`${PAGE}: ${wings.length} arrows between floors, none upwards; ${contexts.length} between ${names.length} contexts`);
} else if (after !== before) {
  console.error(`${PAGE} does not show the folders as they are: run npm run architecture`);
  process.exitCode = 1;
}
