const contexts = ['partners', 'api-keys', 'wallet', 'farmers', 'contributions', 'consents', 'lookup', 'webhooks', 'pricing', 'ledger', 'statements', 'read-models', 'audit'];

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'domain-is-pure',
      comment: 'Deciders and events import no framework, driver or adapter.',
      severity: 'error',
      from: { path: '^src/[^/]+/domain/', pathNot: '\\.spec\\.ts$' },
      to: { pathNot: ['^src/[^/]+/domain/', '^src/event-sourcing/(decider|hash-chain|recorded-event)\\.ts$', 'node_modules/json-canonicalize', '^(node:)?crypto$'] },
    },
    {
      name: 'projections-are-pure',
      comment: "A read model's functions know events, tables and nothing that runs.",
      severity: 'error',
      from: { path: '^projections/', pathNot: '\\.spec\\.ts$' },
      to: { pathNot: ['^projections/', '^src/[^/]+/domain/', '^src/projecting/projection\\.ts$', '^src/event-sourcing/recorded-event\\.ts$', 'node_modules/@mikro-orm/core'] },
    },
    ...contexts.map((context) => ({
      name: `${context}-knows-only-events-of-others`,
      comment: 'Contexts meet in events, commands and queries, never in one another\'s insides.',
      severity: 'error',
      from: { path: `^src/${context}/` },
      to: {
        path: `^src/(${contexts.filter((other) => other !== context).join('|')})/`,
        pathNot: ['/domain/(events|farmer-record|money|fees|profile-tier|account-types|sections|amounts)\\.ts$', '\\.(command|query)\\.ts$', '\\.module\\.ts$'],
      },
    })),
    {
      name: 'lookup-writes-through-commands',
      severity: 'error',
      from: { path: '^src/lookup/' },
      to: { path: '^src/event-sourcing/(stream-writer|event-store)' },
    },
    {
      name: 'one-importer-of-the-event-store-client',
      severity: 'error',
      from: { path: '^(src|projections|embedded)/', pathNot: '^(src/event-sourcing/event-store-client/|embedded/event-store/)' },
      to: { path: 'node_modules/(@eventstore/db-client|@grpc/grpc-js)' },
    },
    {
      name: 'embedded-is-loaded-dynamically',
      severity: 'error',
      from: { path: '^(src|projections)/' },
      to: { path: '^embedded/', dynamic: false },
    },
    {
      name: 'production-installs-suffice',
      comment: 'An image has neither the packages for development nor those of the embedded stores.',
      severity: 'error',
      from: { path: '^(src|projections)/', pathNot: '\\.spec\\.ts$' },
      to: { dependencyTypes: ['npm-dev', 'npm-optional', 'npm-no-pkg', 'npm-unknown'] },
    },
    { name: 'product-knows-no-test', severity: 'error', from: { path: '^(src|projections|embedded|bench)/', pathNot: '\\.spec\\.ts$' }, to: { path: '^test/' } },
    { name: 'nobody-knows-the-benchmark', severity: 'error', from: { path: '^(src|projections|embedded|test)/' }, to: { path: '^bench/' } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^test/generated-client/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'require', 'node', 'default', 'types'] },
  },
};
