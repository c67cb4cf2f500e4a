// `npm run architecture` draws the folders and their imports into docs/architecture.md. With --check it only compares the page with the code.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const PAGE = 'docs/architecture.md';
/** The layers from top to bottom. A layer may import itself and the layers below it. */
const LAYERS = [
  'src/app',
  'src/documentation',
  'src/operations',
  'src/stores',
  'src/settings',
  'src/console',
  'src/cli',
  'src/contexts',
  'projections',
  'src/http',
  'domain',
  'src/platform',
  'src/kernel',
];
const LABELS = { domain: 'src/contexts/*/domain' };

const arguments_ = ['depcruise', '--config', '.dependency-cruiser.cjs', '--output-type', 'json', 'src', 'projections'];
const { modules } = JSON.parse(execFileSync('npx', arguments_, { encoding: 'utf8', maxBuffer: 256 * 1024 * 1024 }));

function layerOf(path) {
  if (/^src\/contexts\/[^/]+\/domain\//.test(path)) return 'domain';
  return LAYERS.find((layer) => path.startsWith(`${layer}/`));
}

/** Returns the context of a file. Files in domain/ have none here, because every context may import them. */
function contextOf(path) {
  return /^src\/contexts\/([^/]+)\/(?!domain\/)/.exec(path)?.[1];
}

/** Returns which groups import which, sorted. The number of imports is left out, so that the page changes only with the structure. */
function edges(groupOf) {
  const found = new Set();
  for (const { source, dependencies } of modules) {
    if (source.endsWith('.spec.ts')) continue;
    for (const { resolved } of dependencies) {
      const [from, to] = [groupOf(source), groupOf(resolved)];
      if (from === undefined || to === undefined || from === to) continue;
      found.add(`${from} ${to}`);
    }
  }
  return [...found].sort().map((edge) => edge.split(' '));
}

const id = (name) => name.replaceAll(/[^a-z]/g, '_');
const arrow = ([from, to]) => `  ${id(from)} --> ${id(to)}`;
const chart = (lines) => ['```mermaid', 'flowchart TB', ...lines, '```'].join('\n');

const layers = edges(layerOf);
const upwards = layers.filter(([from, to]) => LAYERS.indexOf(to) < LAYERS.indexOf(from));
const contexts = edges(contextOf);
const names = [...new Set(modules.flatMap(({ source }) => contextOf(source) ?? []))].sort();

const drawn = {
  layers: chart([...LAYERS.map((layer) => `  ${id(layer)}["${LABELS[layer] ?? layer}"]`), ...layers.map(arrow)]),
  contexts: chart([...names.map((name) => `  ${id(name)}["${name}"]`), ...contexts.map(arrow)]),
};

const before = readFileSync(PAGE, 'utf8');
const after = Object.entries(drawn).reduce(
  (page, [name, graph]) => page.replace(new RegExp(`(<!-- ${name} -->\n)[^]*?(<!-- /${name} -->)`), `$1\n${graph}\n\n$2`),
  before,
);

if (upwards.length > 0) {
  console.error(`Imports of a higher layer: ${upwards.map(([from, to]) => `${from} to ${to}`).join(', ')}`);
  process.exitCode = 1;
} else if (!process.argv.includes('--check')) {
  writeFileSync(PAGE, after);
  console.log(`${PAGE}: ${layers.length} arrows between layers, none upwards; ${contexts.length} between ${names.length} contexts`);
} else if (after !== before) {
  console.error(`${PAGE} differs from the imports in the code: run npm run architecture`);
  process.exitCode = 1;
}
