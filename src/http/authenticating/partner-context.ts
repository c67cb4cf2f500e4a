import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { type FastifyRequest } from 'fastify';
import { type Section } from '../../kernel/section-names.js';
import { type AccountType, type Mode } from '../../kernel/accounts.js';

/** The caller: an API key and the partner that it is linked to. */
export interface PartnerContext {
  readonly key_id: string;
  readonly partner_id: string;
  readonly company_name: string;
  readonly account_type: AccountType;
  readonly mode: Mode;
  readonly status: 'pending' | 'active';
  /** The mandatory and the optional sections together. */
  readonly allowed_sections: readonly Section[];
  readonly ip_allow_list: readonly string[];
  /** How often the account was reset: what it does with test farmers belongs to this run. */
  readonly test_run: number;
  /** The key has ended, and may only get the response to an earlier request with the same Idempotency-Key. */
  readonly hasEndedKey?: true;
}

/** The hash of its API key is computed once, although the key is checked again after the body. */
export type PartnerRequest = FastifyRequest & { partner?: PartnerContext; keyHash?: string };

/** Injects the partner that the API-key guard admitted. */
export const Caller = createParamDecorator((_data: unknown, context: ExecutionContext): PartnerContext => {
  const { partner } = context.switchToHttp().getRequest<PartnerRequest>();
  if (!partner) throw new Error('This route is not behind the API-key guard.');
  return partner;
});
