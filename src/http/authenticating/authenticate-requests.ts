import { type FastifyInstance, type FastifyRequest } from 'fastify';
import { inRequest } from '../../platform/tracing/request-context.js';
import { type AdminAuthentication } from './admin-authentication.js';
import { allowedMethods } from '../errors/allowed-methods.js';
import { ApiError } from '../errors/api-error.js';
import { hookOf } from '../limiting/deadline.js';
import { type PartnerAuthentication } from './partner-authentication.js';
import { type PartnerRequest } from './partner-context.js';

/** The routes of partners begin with it. */
export const PARTNER_ROUTES = '/v1/rupa/';
const ADMIN_ROUTES = '/admin/';

/**
 * Authenticates the caller of every route before the body is read, so that no body, however broken, large or slow, comes before the key and
 * the limits (decisions, "Checks"). The route's path decides who may call it: a new route of partners or administrators cannot be open by
 * mistake.
 */
export function authenticateRequests(
  fastify: FastifyInstance,
  { partners, administrators }: { readonly partners: PartnerAuthentication; readonly administrators: AdminAuthentication },
): void {
  const methodsOf = allowedMethods(fastify);
  const admit = hookOf(async (request, reply) => {
    if (request.is404) throw unknownRoute(request, methodsOf);
    const { url: route = '' } = request.routeOptions;
    if (route.startsWith(PARTNER_ROUTES)) await inRequest({ correlationId: request.id }, () => partners.admit(request, reply));
    else if (route.startsWith(ADMIN_ROUTES)) await inRequest({ correlationId: request.id }, () => administrators.admit(request));
  });
  const admitAgain = hookOf(async (request: PartnerRequest) => {
    if (request.partner && request.body !== undefined) await partners.admitAgain(request);
  });
  fastify.addHook('onRequest', admit).addHook('preHandler', admitAgain);
}

function unknownRoute({ url }: FastifyRequest, methodsOf: (path: string) => readonly string[]): ApiError {
  const methods = methodsOf(url.split('?')[0] ?? '');
  return methods.length === 0
    ? new ApiError('route_not_found')
    : new ApiError('method_not_allowed', { headers: { Allow: methods.join(', ') } });
}
