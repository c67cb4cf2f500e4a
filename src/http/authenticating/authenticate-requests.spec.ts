import { describe, expect, it } from '@jest/globals';
import { fastify } from 'fastify';
import { allowedMethods } from './authenticate-requests.js';

describe('the allowed methods', () => {
  const app = fastify();
  const methodsOf = allowedMethods(app);
  const handle = (): string => 'done';
  app.get('/things', handle).post('/things', handle).get('/things/:id', handle).delete('/things/:id', handle).get('/things/new', handle);
  app.get('/page.js', handle);

  it.each([
    ['/things', ['GET', 'HEAD', 'POST']],
    ['/things/7', ['DELETE', 'GET', 'HEAD']],
    ['/things/new', ['DELETE', 'GET', 'HEAD']],
    ['/things/', []],
    ['/things/7/more', []],
    ['/pageXjs', []],
    ['/', []],
  ])('of %s are those of the routes that match it', (path, methods) => {
    expect(methodsOf(path)).toStrictEqual(methods);
  });
});
