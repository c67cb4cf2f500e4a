import { type FastifyInstance, type FastifyRequest } from 'fastify';
import { inRequest } from '../../platform/tracing/request-context.js';
import { type AdminAuthentication } from './admin-authentication.js';
import { ApiError } from '../errors/api-error.js';
import { hookOf } from '../limiting/deadline.js';
import { type MaintenanceMode, refuseInMaintenance } from '../limiting/maintenance-mode.js';
import { type PartnerAuthentication } from './partner-authentication.js';
import { type PartnerRequest } from './partner-context.js';
import { type AdminRequest } from './record-admin-calls.js';

/** The routes of partners begin with it. */
export const PARTNER_ROUTES = '/v1/rupa/';
export const ADMIN_ROUTES = '/admin/';

interface Admission {
  readonly partners: PartnerAuthentication;
  readonly administrators: AdminAuthentication;
  readonly maintenance: MaintenanceMode;
}

/**
 * Authenticates the caller of every route before the body is read, so that no body, however broken, large or slow, comes before the key and
 * the limits (decisions, "Checks"). The route's path decides who may call it: a new route of partners or administrators cannot be open by
 * mistake. Calls that may change something are refused here, too, while maintenance is in force.
 */
export function authenticateRequests(fastify: FastifyInstance, { partners, administrators, maintenance }: Admission): void {
  const methodsOf = allowedMethods(fastify);
  const admit = hookOf(async (request, reply) => {
    if (request.is404) throw unknownRoute(request, methodsOf);
    const { url: route = '' } = request.routeOptions;
    if (route.startsWith(PARTNER_ROUTES)) await inRequest({ correlationId: request.id }, () => partners.admit(request, reply));
    else if (route.startsWith(ADMIN_ROUTES)) await inRequest({ correlationId: request.id }, () => administrators.admit(request));
    if (isAuthenticated(request)) await refuseInMaintenance(request, maintenance);
  });
  const admitAgain = hookOf(async (request: PartnerRequest) => {
    if (request.partner && request.body !== undefined) await partners.admitAgain(request);
    // Maintenance may have begun while the body arrived, and the call that began it has promised that nothing is written any more.
    if (isAuthenticated(request)) await refuseInMaintenance(request, maintenance);
  });
  fastify.addHook('onRequest', admit).addHook('preHandler', admitAgain);
}

/** Every call that writes to the log is one of a partner or an administrator. Signing in to the console is neither. */
function isAuthenticated(request: PartnerRequest & AdminRequest): boolean {
  return request.partner !== undefined || request.administrator !== undefined;
}

function unknownRoute({ url }: FastifyRequest, methodsOf: (path: string) => readonly string[]): ApiError {
  const methods = methodsOf(url.split('?')[0] ?? '');
  return methods.length === 0
    ? new ApiError('route_not_found')
    : new ApiError('method_not_allowed', { headers: { Allow: methods.join(', ') } });
}

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
