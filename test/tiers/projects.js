import { resolve } from 'node:path';
import { JSX } from '../../scripts/jsx.mjs';
import { bundledPackages } from './bundled-packages.js';

const rootDir = resolve(import.meta.dirname, '../..');
const packages = Object.entries(await bundledPackages(rootDir)).map(([name, file]) => [`^${name.replaceAll('.', '\\.')}$`, file]);
const swc = {
  swcrc: false,
  jsc: {
    target: 'es2023',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
    keepClassNames: true,
  },
  module: { type: 'es6' },
};

function project(displayName, testMatch, more = {}) {
  return {
    displayName,
    rootDir,
    // Jest visits every file under its roots when it starts; dist/ and docs/ hold no tests.
    roots: ['src', 'sdk/src', 'projections', 'embedded', 'bench', 'test'].map((folder) => `<rootDir>/${folder}`),
    testMatch,
    transform: { '^.+\\.ts$': ['@swc/jest', swc], '^.+\\.tsx$': ['@swc/jest', JSX] },
    extensionsToTreatAsEsm: ['.ts', '.tsx'],
    moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1', ...Object.fromEntries(packages) },
    testEnvironment: 'node',
    // Jest's own limit of five seconds fails tests that a busy machine only makes slow.
    setupFilesAfterEnv: ['<rootDir>/test/support/timeouts.ts'],
    ...more,
  };
}

/** Options for tests on real servers. A server that stalls must fail the test, not stop the whole run. */
const onServers = {
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
};

export const unit = project('unit', [
  '<rootDir>/{src,sdk/src,projections,embedded,bench}/**/*.spec.{ts,tsx}',
  '<rootDir>/test/tidy/*.spec.ts',
  '!**/*.slow.spec.ts',
]);
export const simulation = project('simulation', ['<rootDir>/test/simulation/*.spec.ts']);
export const integration = project('integration', ['<rootDir>/test/integration/*.spec.ts', '<rootDir>/test/store/*.spec.ts'], onServers);
export const store = project('store', ['<rootDir>/test/store/*.spec.ts']);
export const tools = project('tools', ['<rootDir>/test/tools/*.spec.ts'], onServers);
export const endToEnd = project('e2e', ['<rootDir>/test/e2e/*.spec.ts'], onServers);
export const browser = project('browser', ['<rootDir>/test/browser/*.spec.ts'], onServers);
export const slow = project('slow', ['<rootDir>/test/slow/*.spec.ts', '<rootDir>/bench/**/*.slow.spec.ts'], onServers);
