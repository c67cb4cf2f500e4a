import { describe, expect, it } from '@jest/globals';
import { globSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Rejection } from '../platform/event-sourcing/decider.js';

type RejectionClass = new (code: string) => Rejection;

async function rejectionClasses(): Promise<readonly RejectionClass[]> {
  const files = globSync('src/contexts/*/domain/*.ts', { exclude: ['**/*.spec.ts'] }).toSorted();
  const modules = await Promise.all(
    files.map(async (file) => (await import(pathToFileURL(resolve(file)).href)) as Record<string, unknown>),
  );
  const isRejection = (value: unknown): value is RejectionClass => typeof value === 'function' && value.prototype instanceof Rejection;
  return modules.flatMap((module) => Object.values(module)).filter(isRejection);
}

describe('the rejections of the contexts', () => {
  it('are classes of their own, so that a context that catches its own lets those of others pass', async () => {
    const classes = await rejectionClasses();
    expect(classes.length).toBeGreaterThan(5);
    for (const thrown of classes) {
      const error = new thrown('code');
      expect(error).toBeInstanceOf(Rejection);
      expect(classes.filter((caught) => error instanceof caught)).toStrictEqual([thrown]);
    }
  });
});
