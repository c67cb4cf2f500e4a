import { type FastifyRequest } from 'fastify';

/**
 * Returns the value of a signed cookie; undefined if the browser did not send it, or if another sender than the console signed it.
 * @param prefix the first letters of the value, by which it passes for no other cookie that is signed with the same key; they are left out
 */
export function signedValue(request: FastifyRequest, cookie: string, prefix = ''): string | undefined {
  const sent = request.cookies[cookie];
  const unsigned = sent === undefined ? undefined : request.unsignCookie(sent);
  return unsigned?.valid && unsigned.value.startsWith(prefix) ? unsigned.value.slice(prefix.length) : undefined;
}
