import { describe, expect, it } from '@jest/globals';
import { existsSync, globSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { startService } from '../support/service.js';

const DIST = realpathSync('dist');

describe('what processes start from', () => {
  it('loads no package that is bundled from node_modules as well, not even on the first start, because its classes would exist twice', async () => {
    const NODE_OPTIONS = `--import=${resolve('test/support/loaded-modules.mjs')}`;
    const service = await startService({ NODE_OPTIONS, DEMO: 'true' }, { isEmpty: true });
    try {
      expect(await service.interrupt()).toBe(0);
      const threads = [...service.output().matchAll(/^installed: (.*)$/gm)].map(([, names = '']) => names.split(' '));
      // The main thread, the background thread and the one of the event store.
      expect(threads).toHaveLength(3);
      expect(threads.flat()).toContain('lmdb');
      expect(threads.flat().filter((name) => existsSync(join(DIST, 'packages', `${name}.js`)))).toStrictEqual([]);
    } finally {
      await service.stop();
    }
  });

  it('has source maps that name the sources, for stacks that a person can follow', () => {
    const maps = [...globSync('chunks/*.map', { cwd: DIST }), 'src/main.js.map', 'src/cli.js.map'].map((path) => join(DIST, path));
    expect(maps.length).toBeGreaterThan(100);
    const sources = maps.flatMap((path) => {
      const { sources: named } = JSON.parse(readFileSync(path, 'utf8')) as { sources: string[] };
      return named.map((source) => resolve(dirname(path), source));
    });
    expect(sources).toContain(resolve('src/main.ts'));
    expect(sources.filter((source) => !existsSync(source))).toStrictEqual([]);
  });
});
