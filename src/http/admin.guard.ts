import { type CanActivate, createParamDecorator, type ExecutionContext, ForbiddenException, Inject, Injectable, UnauthorizedException } from '@nestjs/common';
import { createHash, timingSafeEqual } from 'node:crypto';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { ADMIN_TOKENS } from '../infrastructure/tokens.js';
import { RateLimits } from './rate-limits.js';

type AdminRole = 'admin' | 'auditor';
type AdminRequest = FastifyRequest & { adminRole?: AdminRole };

/** Bearer tokens of administrators (all calls) and auditors (every GET). spec: admin.md. */
@Injectable()
export class AdminGuard implements CanActivate {
  private readonly digests: readonly [AdminRole, Buffer][];

  constructor(
    @Inject(ADMIN_TOKENS) tokens: Readonly<Record<AdminRole, string>>,
    private readonly limits: RateLimits,
  ) {
    this.digests = [
      ['admin', digest(tokens.admin)],
      ['auditor', digest(tokens.auditor)],
    ];
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<AdminRequest>();
    const [, token] = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
    const presented = digest(token ?? '');
    const role = this.digests.find(([, known]) => timingSafeEqual(known, presented))?.[0];
    if (!token || !role) {
      await this.limits.failedAuthentication(request.ip);
      context.switchToHttp().getResponse<FastifyReply>().header('WWW-Authenticate', `Bearer realm="rupa admin"${token ? ', error="invalid_token"' : ''}`);
      throw new UnauthorizedException('A valid token is required: send Authorization: Bearer <token>.');
    }
    if (role === 'auditor' && request.method !== 'GET') throw new ForbiddenException('This token may only read.');
    request.adminRole = role;
    return true;
  }
}

/** Who goes into the events of an administrator's command. */
export const Actor = createParamDecorator((_data: unknown, context: ExecutionContext): string => {
  return context.switchToHttp().getRequest<AdminRequest>().adminRole ?? 'nobody';
});

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
