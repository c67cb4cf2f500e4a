export type DeliveryFailure = 'timeout' | 'address_refused' | 'url_refused' | 'dns' | 'connect' | 'tls' | 'reset' | 'protocol';

/**
 * Thrown if an attempt got no complete response. It has no `cause`: the HTTP client's error may contain text of the receiver, which must be
 * neither stored nor logged.
 */
export class DeliveryFailed extends Error {
  override name = 'DeliveryFailed';

  constructor(
    readonly code: DeliveryFailure,
    readonly durationMs: number,
    /** Status of the response, if its headers arrived but its body did not. */
    readonly status?: number,
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
  [/^(ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/, 'timeout'],
  [/^(ECONNRESET|ECONNABORTED|EPIPE|UND_ERR_SOCKET)$/, 'reset'],
  [/^(EPROTO$|ERR_(TLS|SSL)_|UNABLE_TO_|INVALID_(CA|PURPOSE)$|PATH_LENGTH_EXCEEDED$|HOSTNAME_MISMATCH$)|CERT|CRL/, 'tls'],
  [/^E[A-Z0-9]+$/, 'connect'],
];

/**
 * Returns the failure code of an error of the HTTP client.
 * @throws the error itself if the client refused our request as invalid, which is a bug here and not a failed delivery
 */
export function failureOf(error: unknown): DeliveryFailure {
  if (error instanceof StepFailed) return error.code;
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  if (code === 'UND_ERR_INVALID_ARG' || code === 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH') throw error;
  // undici reports a response that violates HTTP, such as an unrequested upgrade, with the code of a broken connection.
  if (message === 'bad response' || message === 'bad upgrade') return 'protocol';
  return FAILURES.find(([pattern]) => typeof code === 'string' && pattern.test(code))?.[1] ?? 'protocol';
}
