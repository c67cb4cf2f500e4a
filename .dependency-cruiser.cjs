/**
 * The layers that docs/architecture.md draws: a layer imports only the layers below it.
 *
 *   src/app ─► documentation ─► operations ─► stores ─► settings ─► console ─► cli ─► contexts ─► http ─► platform ─► kernel
 *                                                                                      │                 ▲
 *                                                                                 projections ───────────┘  (and a context's domain/)
 */
const layers = ['app', 'documentation', 'operations', 'stores', 'settings', 'console', 'cli', 'contexts', 'http', 'platform', 'kernel'];
const above = (layer) => layers.slice(0, layers.indexOf(layer));
const spec = '\\.spec\\.ts$';

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    ...layers.slice(1).map((layer) => ({
      name: `${layer}-imports-nothing-above-it`,
      comment: `Files in src/${layer}/ must not import ${above(layer).join(', ')}. Pass in a value that they need from there.`,
      severity: 'error',
      from: { path: `^src/${layer}/` },
      to: { path: [`^src/(${above(layer).join('|')})/`, '^src/[^/]+\\.ts$'] },
    })),
    {
      name: 'console-and-command-line-are-separate',
      comment: 'Both are clients of the admin interface. What they share belongs to a context.',
      severity: 'error',
      from: { path: '^src/console/' },
      to: { path: '^src/cli/' },
    },
    {
      name: 'kernel-imports-nothing-at-all',
      comment: 'The kernel contains only vocabulary: pure code that needs neither packages nor Node.',
      severity: 'error',
      from: { path: '^src/kernel/', pathNot: spec },
      to: { pathNot: '^src/kernel/' },
    },
    {
      name: 'http-and-platform-import-no-projection',
      comment: 'Shared code that imports a read model would depend on the context that owns the read model.',
      severity: 'error',
      from: { path: '^src/(http|platform|kernel)/', pathNot: spec },
      to: { path: '^projections/' },
    },
    {
      name: 'no-cycle-between-contexts',
      comment: 'If two contexts import each other, merge them, or let one publish the event, command or query that the other needs.',
      severity: 'error',
      scope: 'folder',
      from: { path: '^src/contexts/[^/]+$' },
      to: { circular: true },
    },
    {
      name: 'contexts-import-only-published-files',
      comment:
        'A context publishes its events (domain/events.ts, domain/…-events.ts), the names in its public.ts, and its module, which exports providers for others. ' +
        'Another context imports nothing else of it. Every domain/ may import every other domain/.',
      severity: 'error',
      from: { path: '^src/contexts/([^/]+)/', pathNot: [spec, '^src/contexts/[^/]+/domain/'] },
      to: {
        path: '^src/contexts/',
        pathNot: ['^src/contexts/$1/', '^src/contexts/[^/]+/(public|domain/events)\\.ts$', '/domain/[^/]+-events\\.ts$', '\\.module\\.ts$'],
      },
    },
    {
      name: 'domain-is-pure',
      comment:
        'Deciders and events import no framework, driver or adapter: only the domain/ of contexts, the kernel, the types of a decider and the form in which read models keep texts.',
      severity: 'error',
      from: { path: '^src/contexts/[^/]+/domain/', pathNot: spec },
      to: {
        pathNot: [
          '^src/contexts/[^/]+/domain/',
          '^src/kernel/',
          '^src/platform/event-sourcing/(decider|stream-kind|recorded-event)\\.ts$',
          '^src/platform/database/postgres-text\\.ts$',
          'node_modules/json-canonicalize',
          '^(node:)?crypto$',
        ],
      },
    },
    {
      name: 'projections-are-pure',
      comment:
        'The functions of a read model depend only on events and table definitions, and on nothing that performs I/O. Its reader queries the table.',
      severity: 'error',
      from: { path: '^projections/', pathNot: [spec, '\\.reader\\.ts$'] },
      to: {
        pathNot: [
          '^projections/',
          '^src/contexts/[^/]+/domain/',
          '^src/kernel/',
          '^src/platform/projecting/(?:projection|derived)\\.ts$',
          '^src/platform/event-sourcing/recorded-event\\.ts$',
          'node_modules/@mikro-orm/core',
        ],
      },
    },
    {
      name: 'projections-do-not-read',
      comment: 'What a projection makes of an event must depend on that event and its row alone, or a rebuild would make something else.',
      severity: 'error',
      from: { path: '^projections/', pathNot: [spec, '\\.reader\\.ts$'] },
      to: { path: '\\.reader\\.ts$' },
    },
    {
      name: 'lookup-writes-through-commands',
      comment: 'A lookup appends to the log only through the commands of the contexts that own the streams.',
      severity: 'error',
      from: { path: '^src/contexts/lookups/looking-up/' },
      to: { path: '^src/platform/event-sourcing/(writing/stream-writer|event-store)' },
    },
    {
      name: 'one-importer-of-the-event-store-client',
      comment: 'Only the adapter knows the types and errors of the event store client.',
      severity: 'error',
      from: { path: '^(src|projections|embedded)/', pathNot: '^(src/platform/event-sourcing/event-store-client/|embedded/event-store/)' },
      to: { path: 'node_modules/(@eventstore/db-client|@grpc/grpc-js)' },
    },
    {
      name: 'embedded-is-loaded-dynamically',
      comment: 'A production installation lacks the embedded stores, so a static import of them would fail.',
      severity: 'error',
      from: { path: '^(src|projections)/' },
      to: { path: '^embedded/', dynamic: false },
    },
    {
      name: 'no-dev-or-optional-packages',
      comment: 'The container image contains neither development packages nor those of the embedded stores.',
      severity: 'error',
      from: { path: '^(src|projections)/', pathNot: spec },
      to: { dependencyTypes: ['npm-dev', 'npm-optional', 'npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'product-imports-no-test',
      comment: 'Shipped code must not import code that only tests use.',
      severity: 'error',
      from: { path: '^(src|projections|embedded|bench)/', pathNot: spec },
      to: { path: '^test/' },
    },
    {
      name: 'benchmark-is-not-imported',
      comment: 'The benchmark measures the product; the product does not depend on it.',
      severity: 'error',
      from: { path: '^(src|projections|embedded|test)/' },
      to: { path: '^bench/' },
    },
    {
      name: 'sdk-needs-nothing-else',
      comment: 'The package for partners has no dependency. Only its command line uses modules of Node, because Deno and Bun run the rest.',
      severity: 'error',
      from: { path: '^sdk/src/(?!cli/)', pathNot: spec },
      to: { pathNot: '^sdk/src/' },
    },
    {
      name: 'sdk-command-line-needs-only-node',
      comment: 'The package for partners has no dependency.',
      severity: 'error',
      from: { path: '^sdk/src/cli/', pathNot: spec },
      to: { pathNot: '^sdk/src/', dependencyTypesNot: ['core'] },
    },
    {
      name: 'sdk-is-not-imported',
      comment: 'The service and the package for partners share the interface alone, which the package generates its types from.',
      severity: 'error',
      from: { path: '^(src|projections|embedded|bench)/' },
      to: { path: '^sdk/' },
    },
    {
      name: 'no-circular',
      comment: 'Files that import each other cannot be understood, tested or loaded separately.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-unresolvable',
      comment: 'Every import must resolve to a file or an installed package.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^test/(generated-client|slow/generated-clients)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
