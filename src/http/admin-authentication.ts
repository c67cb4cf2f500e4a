import { createParamDecorator, type ExecutionContext, ForbiddenException, Injectable } from '@nestjs/common';
import { callerAddress } from './address.js';
import { actorOf, AdminTokens, type TokenHolder } from './admin-tokens.js';
import { GuessLimit } from './guess-limit.js';
import { type AdminRequest } from './record-admin-calls.js';
import { Unauthenticated } from './unauthenticated.js';

const REQUIRED = 'A valid token is required: send Authorization: Bearer <token>.';
const CHALLENGE = 'Bearer realm="rupa admin"';

/** Admits administrators to all calls and auditors to every GET, by bearer token (admin). */
@Injectable()
export class AdminAuthentication {
  constructor(
    private readonly tokens: AdminTokens,
    private readonly guesses: GuessLimit,
  ) {}

  /** Sets the request's administrator. @throws Unauthenticated, ForbiddenException, TooManyRequests */
  async admit(request: AdminRequest): Promise<void> {
    const [, token = ''] = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
    request.administrator = await this.guesses.attempt(callerAddress(request), token, () => this.holderOf(token));
    if (request.administrator.role === 'auditor' && request.method !== 'GET') throw new ForbiddenException('This token may only read.');
  }

  private holderOf(token: string): TokenHolder {
    if (token === '') throw new Unauthenticated(REQUIRED, CHALLENGE);
    const holder = this.tokens.holder(token);
    if (!holder) throw new Unauthenticated(REQUIRED, `${CHALLENGE}, error="invalid_token"`);
    return holder;
  }
}

/** Injects the name of the calling administrator, which the events of the command record. */
export const Actor = createParamDecorator((_data: unknown, context: ExecutionContext): string => {
  const { administrator } = context.switchToHttp().getRequest<AdminRequest>();
  if (!administrator) throw new Error('This route is not among those of administrators.');
  return actorOf(administrator);
});
