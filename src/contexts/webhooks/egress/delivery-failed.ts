export type DeliveryFailure = 'timeout' | 'address_refused' | 'url_refused' | 'dns' | 'connect' | 'tls' | 'reset' | 'protocol';

/**
 * Thrown if an attempt got no response. It has no `cause`: the HTTP client's error may contain text of the receiver, which must be
 * neither stored nor logged.
 */
export class DeliveryFailed extends Error {
  override name = 'DeliveryFailed';

  constructor(
    readonly code: DeliveryFailure,
    readonly durationMs: number,
  ) {
    super(`The webhook was not delivered: ${code}`);
  }
}

/** A failure that our own hooks (address check, timeout) report through the HTTP client. */
export class StepFailed extends Error {
  override name = 'StepFailed';

  constructor(readonly code: DeliveryFailure) {
    super(code);
  }
}

const FAILURES: readonly (readonly [RegExp, DeliveryFailure])[] = [
  [/^ETIMEDOUT$/, 'timeout'],
  [/^(ECONNRESET|ECONNABORTED|EPIPE)$/, 'reset'],
  [/^(EPROTO$|ERR_(TLS|SSL)_|UNABLE_TO_|INVALID_(CA|PURPOSE)$|PATH_LENGTH_EXCEEDED$|HOSTNAME_MISMATCH$)|CERT|CRL/, 'tls'],
  [/^E[A-Z0-9]+$/, 'connect'],
];

/** Returns the failure code of an error of the HTTP client. */
export function failureOf(error: unknown): DeliveryFailure {
  if (error instanceof StepFailed) return error.code;
  const { code } = error as { readonly code?: unknown };
  return FAILURES.find(([pattern]) => typeof code === 'string' && pattern.test(code))?.[1] ?? 'protocol';
}
