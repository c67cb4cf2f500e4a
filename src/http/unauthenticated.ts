import { UnauthorizedException } from '@nestjs/common';

/** Becomes a 401 response with a WWW-Authenticate header (RFC 9110, section 11.6.1). */
export class Unauthenticated extends UnauthorizedException {
  constructor(
    message: string,
    readonly challenge: string,
  ) {
    super(message);
  }
}
