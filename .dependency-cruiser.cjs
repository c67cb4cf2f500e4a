/**
 * The picture that docs/architecture.md draws: imports go down, never up.
 *
 *   src/app ─► src/cli ─► src/contexts ─► src/http ─► src/platform ─► src/kernel
 *                             │                          ▲
 *                        projections ────────────────────┘   (and a context's domain/, its ground floor)
 */
const wings = ['app', 'cli', 'contexts', 'http', 'platform', 'kernel'];
const above = (wing) => wings.slice(0, wings.indexOf(wing));
const spec = '\\.spec\\.ts$';

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    ...wings.slice(1).map((wing) => ({
      name: `${wing}-imports-nothing-above-it`,
      comment: `Nothing in src/${wing}/ may know ${above(wing).join(', ')}: a value it needs from there is passed in.`,
      severity: 'error',
      from: { path: `^src/${wing}/` },
      to: { path: [`^src/(${above(wing).join('|')})/`, '^src/[^/]+\\.ts$'] },
    })),
    {
      name: 'kernel-imports-nothing-at-all',
      comment: 'The kernel is vocabulary: pure, and free of packages and of Node.',
      severity: 'error',
      from: { path: '^src/kernel/', pathNot: spec },
      to: { pathNot: '^src/kernel/' },
    },
    {
      name: 'http-and-platform-know-no-read-model',
      comment: 'A toolkit that knows a table knows the context that owns it.',
      severity: 'error',
      from: { path: '^src/(http|platform|kernel)/', pathNot: spec },
      to: { path: '^projections/' },
    },
    {
      name: 'no-cycle-between-contexts',
      comment: 'Two contexts that need one another are one context, or one of them lacks an event, a command or a query.',
      severity: 'error',
      scope: 'folder',
      from: { path: '^src/contexts/[^/]+$' },
      to: { circular: true },
    },
    {
      name: 'contexts-meet-in-what-they-publish',
      comment:
        'A context publishes its events (domain/events.ts), what its public.ts names, and its module, which exports what others inject. ' +
        'Another context imports nothing else of it. Ground floors may know one another.',
      severity: 'error',
      from: { path: '^src/contexts/([^/]+)/', pathNot: [spec, '^src/contexts/[^/]+/domain/'] },
      to: { path: '^src/contexts/', pathNot: ['^src/contexts/$1/', '^src/contexts/[^/]+/(public|domain/events|[^/]+\\.module)\\.ts$'] },
    },
    {
      name: 'domain-is-pure',
      comment:
        'Deciders and events import no framework, driver or adapter: only other ground floors, the kernel and the shape of a decider.',
      severity: 'error',
      from: { path: '^src/contexts/[^/]+/domain/', pathNot: spec },
      to: {
        pathNot: [
          '^src/contexts/[^/]+/domain/',
          '^src/kernel/',
          '^src/platform/event-sourcing/(decider|hash-chain|recorded-event)\\.ts$',
          'node_modules/json-canonicalize',
          '^(node:)?crypto$',
        ],
      },
    },
    {
      name: 'projections-are-pure',
      comment: "A read model's functions know events, tables and nothing that runs.",
      severity: 'error',
      from: { path: '^projections/', pathNot: spec },
      to: {
        pathNot: [
          '^projections/',
          '^src/contexts/[^/]+/domain/',
          '^src/kernel/',
          '^src/platform/projecting/projection\\.ts$',
          '^src/platform/event-sourcing/recorded-event\\.ts$',
          'node_modules/@mikro-orm/core',
        ],
      },
    },
    {
      name: 'lookup-writes-through-commands',
      comment: 'A lookup reaches the log through the commands of the contexts that own the streams.',
      severity: 'error',
      from: { path: '^src/contexts/lookup/' },
      to: { path: '^src/platform/event-sourcing/(stream-writer|event-store)' },
    },
    {
      name: 'one-importer-of-the-event-store-client',
      comment: "The client's types and errors stop at one adapter.",
      severity: 'error',
      from: { path: '^(src|projections|embedded)/', pathNot: '^(src/platform/event-sourcing/event-store-client/|embedded/event-store/)' },
      to: { path: 'node_modules/(@eventstore/db-client|@grpc/grpc-js)' },
    },
    {
      name: 'embedded-is-loaded-dynamically',
      comment: 'A production install has no embedded stores.',
      severity: 'error',
      from: { path: '^(src|projections)/' },
      to: { path: '^embedded/', dynamic: false },
    },
    {
      name: 'production-installs-suffice',
      comment: 'An image has neither the packages for development nor those of the embedded stores.',
      severity: 'error',
      from: { path: '^(src|projections)/', pathNot: spec },
      to: { dependencyTypes: ['npm-dev', 'npm-optional', 'npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'product-knows-no-test',
      comment: 'What ships imports nothing that only tests use.',
      severity: 'error',
      from: { path: '^(src|projections|embedded|bench)/', pathNot: spec },
      to: { path: '^test/' },
    },
    {
      name: 'nobody-knows-the-benchmark',
      comment: 'The benchmark measures the product; the product does not need it.',
      severity: 'error',
      from: { path: '^(src|projections|embedded|test)/' },
      to: { path: '^bench/' },
    },
    {
      name: 'no-circular',
      comment: 'Two files that need one another cannot be read, tested or loaded alone.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    { name: 'no-unresolvable', comment: 'An import that leads nowhere.', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^test/generated-client/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
