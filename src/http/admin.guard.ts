import {
  type CanActivate,
  createParamDecorator,
  type ExecutionContext,
  ForbiddenException,
  Injectable,
  UnauthorizedException,
} from '@nestjs/common';
import { type FastifyReply } from 'fastify';
import { AdminCallLog } from './admin-call-log.js';
import { type AdminRequest, callOf } from './record-admin-calls.js';
import { RateLimits } from './rate-limits.js';
import { actorOf, AdminTokens } from './admin-tokens.js';

/** Admits administrators to all calls and auditors to every GET, by bearer token (admin). */
@Injectable()
export class AdminGuard implements CanActivate {
  constructor(
    private readonly tokens: AdminTokens,
    private readonly limits: RateLimits,
    private readonly audit: AdminCallLog,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<AdminRequest>();
    const [, token] = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
    const holder = token === undefined ? undefined : this.tokens.holder(token);
    if (!holder) {
      await this.limits.failedAuthentication(request.ip);
      context
        .switchToHttp()
        .getResponse<FastifyReply>()
        .header('WWW-Authenticate', `Bearer realm="rupa admin"${token ? ', error="invalid_token"' : ''}`);
      throw new UnauthorizedException('A valid token is required: send Authorization: Bearer <token>.');
    }
    request.administrator = holder;
    const reads = request.method === 'GET';
    if (holder.role === 'auditor' && !reads) throw new ForbiddenException('This token may only read.');
    if (!reads) {
      await this.audit.begin(callOf(request, holder), request.id);
      request.auditBegun = true;
    }
    return true;
  }
}

/** Injects the name of the calling administrator, which the events of the command record. */
export const Actor = createParamDecorator((_data: unknown, context: ExecutionContext): string => {
  const { administrator } = context.switchToHttp().getRequest<AdminRequest>();
  return administrator ? actorOf(administrator) : 'nobody';
});
