/** Options with which swc compiles a file with JSX, in the build and in tests. Preact's runtime escapes every text. */
export const JSX = {
  swcrc: false,
  sourceMaps: true,
  jsc: {
    target: 'es2023',
    parser: { syntax: 'typescript', tsx: true },
    transform: { react: { runtime: 'automatic', importSource: 'preact' } },
  },
  module: { type: 'es6' },
};
