import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { type FastifyRequest } from 'fastify';
import { ValidationFailed } from '../../kernel/validation-failed.js';
import { ADMIN_ROUTES, PARTNER_ROUTES } from '../authenticating/authenticate-requests.js';
import { unexpectedFields } from './field-errors.js';
import { sentQuery } from './validation.js';

interface Declared {
  readonly query: boolean;
  readonly body: boolean;
}

/**
 * Refuses a query or a body that a handler of partners or administrators does not take, with 422 (decisions, "Checks"). What a handler takes
 * is refused by its class.
 */
@Injectable()
export class RefuseUndeclared implements CanActivate {
  private readonly declared = new WeakMap<object, Declared>();

  canActivate(context: ExecutionContext): boolean {
    const { query, body, routeOptions } = context.switchToHttp().getRequest<FastifyRequest>();
    const { url = '' } = routeOptions;
    if (!url.startsWith(PARTNER_ROUTES) && !url.startsWith(ADMIN_ROUTES)) return true;
    const declared = this.declaredBy(context);
    const errors = {
      ...(declared.query ? {} : unexpectedFields(sentQuery(query as object))),
      ...(declared.body || typeof body !== 'object' || body === null || Buffer.isBuffer(body) ? {} : unexpectedFields(body)),
    };
    if (Object.keys(errors).length > 0) throw new ValidationFailed(errors);
    return true;
  }

  private declaredBy(context: ExecutionContext): Declared {
    const handler = context.getHandler();
    const known = this.declared.get(handler);
    if (known) return known;
    const parameters = (Reflect.getMetadata(ROUTE_ARGS_METADATA, context.getClass(), handler.name) ?? {}) as object;
    const takes = (kind: RouteParamtypes): boolean => Object.keys(parameters).some((place) => place.startsWith(`${kind}:`));
    const declared = { query: takes(RouteParamtypes.QUERY), body: takes(RouteParamtypes.BODY) };
    this.declared.set(handler, declared);
    return declared;
  }
}
