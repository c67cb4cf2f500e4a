export type DeliveryFailure = 'timeout' | 'address_refused' | 'url_refused' | 'dns' | 'connect' | 'tls' | 'reset' | 'protocol';

/** Says what kept an answer away. It has no cause: an error of the client's may hold the receiver's text, which is neither stored nor logged. */
export class DeliveryFailed extends Error {
  override name = 'DeliveryFailed';

  constructor(
    readonly code: DeliveryFailure,
    readonly durationMs: number,
    /** Where the answer's headers arrived, and its body did not. */
    readonly status?: number,
  ) {
    super(`The webhook was not delivered: ${code}`);
  }
}

/** What this side noticed by itself, on its way through the client. */
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

/** @throws the error itself where the request was wrong before anything was sent: that is a bug here, and no failed delivery. */
export function failureOf(error: unknown): DeliveryFailure {
  if (error instanceof StepFailed) return error.code;
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  if (code === 'UND_ERR_INVALID_ARG' || code === 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH') throw error;
  // undici gives an answer that HTTP forbids, such as an unasked upgrade, the code of a broken connection.
  if (message === 'bad response' || message === 'bad upgrade') return 'protocol';
  return FAILURES.find(([pattern]) => typeof code === 'string' && pattern.test(code))?.[1] ?? 'protocol';
}
