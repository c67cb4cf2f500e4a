import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { refuseBrowsers, runtimeOf, userAgent, VERSION } from './runtime.js';

describe('the runtime', () => {
  it.each([
    [{ process: { versions: { node: '20.1.0' } } }, 'node/20.1.0'],
    [{ process: { versions: { node: '24.3.0', bun: '1.3.0' } } }, 'bun/1.3.0'],
    [{ Deno: { version: { deno: '2.5.0' } }, process: { versions: { node: '24.2.0' } } }, 'deno/2.5.0'],
    [{ process: {}, document: {} }, undefined],
  ])('of %j is %j', (globals, expected) => {
    expect(runtimeOf(globals)).toBe(expected);
  });

  it.each([{ document: {} }, { importScripts: () => undefined }, { document: {}, process: { versions: {} } }])(
    'is refused in a browser: %j',
    (globals) => {
      expect(() => {
        refuseBrowsers(globals);
      }).toThrow(/does not run in browsers: API keys and signing secrets are secret/);
    },
  );

  it('is accepted on a server, also where tests emulate a page', () => {
    expect(() => {
      refuseBrowsers({ document: {}, process: { versions: { node: '24.0.0' } } });
      refuseBrowsers({});
      refuseBrowsers();
    }).not.toThrow();
  });

  it('is stated with the version of the package', () => {
    const { version } = JSON.parse(readFileSync('sdk/package.json', 'utf8')) as { version: string };
    expect(VERSION).toBe(version);
    expect(userAgent({})).toBe(`rupa-client-js/${version} (unknown runtime)`);
  });
});
