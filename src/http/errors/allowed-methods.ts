import { type FastifyInstance } from 'fastify';

/**
 * Collects the methods of the routes that are registered from now on, because Fastify does not tell which methods a path supports.
 * @returns the methods of the routes that match a path, sorted; empty for an unknown path
 */
export function allowedMethods(fastify: FastifyInstance): (path: string) => readonly string[] {
  const routes = new Map<string, { readonly pattern: RegExp; readonly methods: Set<string> }>();
  fastify.addHook('onRoute', ({ url, method }) => {
    const route = routes.get(url) ?? { pattern: patternOf(url), methods: new Set() };
    for (const name of [method].flat()) route.methods.add(name);
    routes.set(url, route);
  });
  return (path) => [...new Set([...routes.values()].flatMap(({ pattern, methods }) => (pattern.test(path) ? [...methods] : [])))].sort();
}

/** Returns the expression for the paths of a route such as /v1/rupa/webhooks/:id. */
function patternOf(url: string): RegExp {
  const parts = url.split('/').map((part) => (part.startsWith(':') ? '[^/]+' : part.replaceAll(/[^\w-]/g, String.raw`\$&`)));
  return new RegExp(`^${parts.join('/')}$`);
}
