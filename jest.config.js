const transform = {
  '^.+\\.ts$': [
    '@swc/jest',
    {
      swcrc: false,
      jsc: {
        target: 'es2023',
        parser: { syntax: 'typescript', decorators: true },
        transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
        keepClassNames: true,
      },
      module: { type: 'es6' },
    },
  ],
};
const project = (displayName, testMatch, extra = {}) => ({
  displayName,
  rootDir: '.',
  testMatch,
  transform,
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  testEnvironment: 'node',
  ...extra,
});
// Integration and end-to-end tests talk to real servers; a stalled one must fail the test, not the whole run.
const withServers = {
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  setupFilesAfterEnv: ['<rootDir>/test/support/timeouts.ts'],
};

export default {
  projects: [
    project('unit', ['<rootDir>/{src,projections,embedded,bench}/**/*.spec.ts', '<rootDir>/test/tidy/*.spec.ts']),
    project('simulation', ['<rootDir>/test/simulation/*.spec.ts']),
    project('integration', ['<rootDir>/test/integration/*.spec.ts'], withServers),
    project('e2e', ['<rootDir>/test/e2e/*.spec.ts'], withServers),
  ],
};
