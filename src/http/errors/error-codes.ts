/** A kind of error response. Callers match on its code and status; the message is for people. */
interface ErrorKind {
  readonly status: number;
  /** The message, unless a rejection has one that says more. */
  readonly message: string;
  /** When partners get the error, and what they do then. */
  readonly advice: string;
}

/** Errors of calls that partners make. The messages of section 7 of the interface are fixed to the letter. */
export const PARTNER_ERRORS = {
  malformed_json: {
    status: 400,
    message: 'The request body is not valid JSON.',
    advice: 'Correct the body.',
  },
  malformed_request: {
    status: 400,
    message: 'The request cannot be understood.',
    advice: 'The request is not valid HTTP. Correct the client or the proxy in between.',
  },
  api_key_missing: {
    status: 401,
    message: 'API key is required in the X-API-KEY header.',
    advice: 'Send the key.',
  },
  api_key_invalid: {
    status: 401,
    message: 'The provided API key is invalid or has been deactivated.',
    advice: 'See [API keys](getting-started.md#api-keys). Do not retry.',
  },
  insufficient_balance: {
    status: 402,
    message: 'Insufficient wallet balance for this lookup.',
    advice: 'Nothing was charged. Top up the wallet by at least `data.shortfall`, or request fewer sections.',
  },
  api_key_not_linked: {
    status: 403,
    message: 'This API key is not linked to a Rupa partner account.',
    advice: 'Ask your contact to link the key.',
  },
  ip_not_allowed: {
    status: 403,
    message: 'This partner account is not permitted from your IP address.',
    advice: 'Call from an address on your allow-list, or ask your contact to add yours.',
  },
  account_not_active: {
    status: 403,
    message: 'Your partner account is pending. Contact the provider to activate API access.',
    advice: 'Lookups and the calls about your keys need an active account; all other calls work.',
  },
  no_permitted_sections: {
    status: 403,
    message: 'None of the requested sections are permitted for your account type.',
    advice: 'Request sections of `allowed_sections` in `GET /v1/rupa/me`.',
  },
  sandbox_only: {
    status: 403,
    message: 'This call works with the key of a sandbox account only.',
    advice: 'Use a key of your sandbox account.',
  },
  farmer_not_found: {
    status: 404,
    message: 'No farmer found for that Rupa ID.',
    advice: 'Check the Rupa ID, and that your key is of the mode you mean. An erased farmer is not found, either.',
  },
  consent_not_found: {
    status: 404,
    message: 'No consent record found for that Rupa ID.',
    advice: 'The farmer is not on your roster; a repeated release gets this, too.',
  },
  webhook_not_found: {
    status: 404,
    message: 'No webhook endpoint found for that id.',
    advice: 'Your account has no endpoint with that id.',
  },
  delivery_not_found: {
    status: 404,
    message: 'No delivery found for that id.',
    advice: 'The endpoint has no delivery with that id.',
  },
  lookup_not_found: {
    status: 404,
    message: 'No lookup found for that id.',
    advice: 'Your account was not charged for a lookup with that id.',
  },
  statement_not_found: {
    status: 404,
    message: 'No statement found for that month.',
    advice: 'The month has not begun, or precedes your account.',
  },
  checkpoint_not_found: {
    status: 404,
    message: 'No such checkpoint was made, or none covers what you asked for yet.',
    advice:
      'No checkpoint with that number was made, or none covers that entry of your wallet or that tile yet, or there is no such entry.',
  },
  route_not_found: {
    status: 404,
    message: 'No such endpoint. See the API documentation.',
    advice: 'Correct the path.',
  },
  method_not_allowed: {
    status: 405,
    message: 'This endpoint does not support that method. The Allow header lists the methods that it supports.',
    advice: 'Use a method of the `Allow` header.',
  },
  request_timeout: {
    status: 408,
    message: 'The request did not arrive in time.',
    advice: 'Nothing was executed. Send the request again, on a new connection.',
  },
  conflict: {
    status: 409,
    message: 'The request conflicts with the current state. Read it, then decide whether to send the request again.',
    advice: 'The message says what is in the way.',
  },
  idempotency_in_progress: {
    status: 409,
    message: 'A request with this Idempotency-Key is still running. Please retry shortly.',
    advice: 'Retry shortly with the same key.',
  },
  body_too_large: {
    status: 413,
    message: 'The request body is larger than 64 KiB.',
    advice: 'Send a smaller body; of a list, fewer items in each call.',
  },
  unsupported_media_type: {
    status: 415,
    message: 'Send the request body as application/json.',
    advice: 'Send `Content-Type: application/json`, with no `charset` but `utf-8`, and no `Content-Encoding`.',
  },
  expectation_failed: {
    status: 417,
    message: 'The service meets no expectation but 100-continue.',
    advice: 'Do not send the `Expect` header.',
  },
  validation_failed: {
    status: 422,
    message: 'Validation Error',
    advice: 'Correct the fields that `data.errors` names.',
  },
  idempotency_key_reused: {
    status: 422,
    message: 'Validation Error',
    advice: 'The key was used with another request. Use a new key.',
  },
  rate_limited: {
    status: 429,
    message: 'Too many requests. Retry after the time in the Retry-After header.',
    advice: 'Wait for the seconds in `Retry-After`.',
  },
  headers_too_large: {
    status: 431,
    message: 'The request headers are larger than 16 KiB.',
    advice: 'Send fewer or shorter headers.',
  },
  internal_error: {
    status: 500,
    message: 'Something went wrong on our side. Please retry with backoff.',
    advice: 'Retry with backoff. The charge of a lookup is refunded. If it persists, send us the `X-Request-Id`.',
  },
  unavailable: {
    status: 503,
    message: 'The service is busy. Please retry with backoff.',
    advice: 'Retry with backoff, not before `Retry-After`.',
  },
  history_missing: {
    status: 503,
    message: 'Records that this call needs cannot be read at present, and nothing was changed or charged. Please contact us.',
    advice: 'Only calls that need these records get it, until we have restored them. Nothing was charged. Retry after `Retry-After`.',
  },
  maintenance: {
    status: 503,
    message: 'The service is in maintenance and accepts only calls that read. Nothing was changed or charged.',
    advice:
      'Lookups, reports and other changes get it; calls that read, and webhooks, go on. The message has the reason and, if it is known, the end. Retry after `Retry-After`.',
  },
} as const satisfies Record<string, ErrorKind>;

/** Errors that only calls of administrators get, besides those of partners. */
export const ADMIN_ERRORS = {
  token_invalid: {
    status: 401,
    message: 'A valid token is required: send Authorization: Bearer <token>.',
    advice: 'Send a valid token.',
  },
  role_not_allowed: {
    status: 403,
    message: 'This token may only read.',
    advice: 'Use a token whose role allows the call.',
  },
  same_person: {
    status: 403,
    message: 'Another person must approve this call: you have made it yourself.',
    advice: 'Ask somebody else to approve it.',
  },
  name_required: {
    status: 403,
    message:
      'This call needs a second person, so both must be known by name. Use a token with a name, or sign in at the OpenID provider; on the command line, set RUPA_TOKEN.',
    advice: 'Use a token with a name.',
  },
  partner_not_found: {
    status: 404,
    message: 'No partner found for that id.',
    advice: 'No partner has that id.',
  },
  api_key_not_found: {
    status: 404,
    message: 'No API key found for that id.',
    advice: 'No API key has that id.',
  },
  stream_not_found: {
    status: 404,
    message: 'No stream of the log has this name.',
    advice: 'GET /admin/v1/events names the streams of the newest events.',
  },
  projection_not_found: {
    status: 404,
    message: 'No projection found for that name.',
    advice: 'GET /admin/v1/projections lists the names.',
  },
  job_not_found: {
    status: 404,
    message: 'No job found for that id.',
    advice: 'No job has that id.',
  },
  approval_not_found: {
    status: 404,
    message: 'No approval found for that id.',
    advice: 'List approvals with GET /admin/v1/approvals.',
  },
  period_not_found: {
    status: 404,
    message: 'The books have no such month: it has not begun, or it is before their first entry.',
    advice: 'GET /admin/v1/ledger/periods lists the months.',
  },
  farmer_erased: {
    status: 409,
    message: 'This Rupa ID was erased and cannot be registered again.',
    advice: 'Register the farmer under another Rupa ID.',
  },
} as const satisfies Record<string, ErrorKind>;

/** `Retry-After` of `history_missing`: somebody has to restore the history. */
export const HISTORY_RETRY_SECONDS = 60;

export type ErrorCode = keyof typeof PARTNER_ERRORS | keyof typeof ADMIN_ERRORS;

/** The status, code and message of every error response (decisions, "Error codes"). Codes are stable. */
export const ERRORS: Readonly<Record<ErrorCode, ErrorKind>> = { ...PARTNER_ERRORS, ...ADMIN_ERRORS };
