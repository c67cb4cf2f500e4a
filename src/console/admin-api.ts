import { type FastifyInstance } from 'fastify';
import { type Readable } from 'node:stream';
import { reasonHeader } from '../http/authenticating/access-reason.js';
import { type TokenHolder } from '../http/authenticating/admin-tokens.js';
import { type CallTickets } from '../http/limiting/call-tickets.js';

const BASE = '/admin/v1';
/** A printed page has a style of its own, which only its own policy admits. */
const PASSED_HEADERS = ['content-type', 'content-disposition', 'content-security-policy'];

/** A call of the admin interface that failed, with the parts of its envelope. */
export class AdminApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly data: Readonly<Record<string, unknown>> = {},
  ) {
    super(message);
  }

  /** The message, with those of the fields that were wrong (interface, section 7). */
  get sentence(): string {
    const { errors = {} } = this.data as { readonly errors?: Readonly<Record<string, readonly string[]>> };
    const ofFields = Object.values(errors).flat();
    return ofFields.length === 0 ? this.message : `${this.message}: ${ofFields.join(' ')}`;
  }
}

/** A call that nothing has come of yet, because it waits for a second person. */
export class CallWaits extends Error {
  constructor(readonly approvalId: string) {
    super('The call waits for the approval of a second person. Nothing has changed yet.');
  }
}

export type QueryValues = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** A response that is passed on to the browser while it arrives. */
export interface StreamedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readable;
}

interface CallParts {
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Envelope {
  readonly success: boolean;
  readonly message?: string;
  readonly code?: string;
  readonly data?: unknown;
}

/**
 * The admin interface as the person who is signed in may use it. Each call runs through the route of the HTTP interface in this process, so
 * that its validation, its permissions and its entry in the audit trail are those of any other client.
 */
export class AdminApi {
  /** @param address the address of the browser, which the audit trail records */
  constructor(
    private readonly fastify: FastifyInstance,
    private readonly tickets: CallTickets,
    private readonly holder: TokenHolder,
    private readonly address: string,
  ) {}

  /** @returns `data` of the response. @param path below /admin/v1, made with {@link pathOf} @throws AdminApiError */
  async get<T>(path: string, query: QueryValues = {}): Promise<T> {
    return await this.call<T>('GET', `${path}${queryOf(query)}`);
  }

  /** Reads personal data. @returns `data` of the response. @param reason as the person typed it; the audit trail records it @throws AdminApiError */
  async getFor<T>(reason: string, path: string): Promise<T> {
    return await this.call<T>('GET', path, { headers: reasonHeader(reason) });
  }

  /** @returns `data` of the response. @throws AdminApiError */
  async post<T>(path: string, body: object = {}): Promise<T> {
    return await this.call<T>('POST', path, { body });
  }

  /** Sends a file as the body. @returns `data` of the response. @throws AdminApiError */
  async postFile<T>(path: string, query: QueryValues, file: Buffer): Promise<T> {
    return await this.call<T>('POST', `${path}${queryOf(query)}`, { body: file, headers: { 'content-type': 'application/octet-stream' } });
  }

  /** @returns `data` of the response. @throws AdminApiError */
  async put<T>(path: string, body: object): Promise<T> {
    return await this.call<T>('PUT', path, { body });
  }

  /** @returns `data` of the response. @throws AdminApiError */
  async patch<T>(path: string, body: object): Promise<T> {
    return await this.call<T>('PATCH', path, { body });
  }

  /** @returns `data` of the response. @throws AdminApiError */
  async delete<T>(path: string): Promise<T> {
    return await this.call<T>('DELETE', path);
  }

  /** Returns a response with a body of any size, such as an export or a page to print. @throws AdminApiError */
  async stream(path: string, query: QueryValues = {}): Promise<StreamedResponse> {
    return await this.withTicket(async (authorization) => {
      const response = await this.fastify.inject({
        method: 'GET',
        url: `${BASE}${path}${queryOf(query)}`,
        headers: { authorization },
        remoteAddress: this.address,
        payloadAsStream: true,
      });
      const body = response.stream();
      if (response.statusCode >= 400) throw errorOf(response.statusCode, JSON.parse(await textOf(body)) as Envelope);
      const passed = PASSED_HEADERS.flatMap((name) => {
        const value = response.headers[name];
        return typeof value === 'string' ? [[name, value]] : [];
      });
      return { status: response.statusCode, headers: Object.fromEntries(passed) as Record<string, string>, body };
    });
  }

  private async call<T>(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    { body, headers = {} }: CallParts = {},
  ): Promise<T> {
    return await this.withTicket(async (authorization) => {
      const response = await this.fastify.inject({
        method,
        url: `${BASE}${path}`,
        headers: { authorization, ...headers },
        remoteAddress: this.address,
        ...(body === undefined ? {} : { payload: body }),
      });
      const envelope = response.json<Envelope>();
      if (!envelope.success) throw errorOf(response.statusCode, envelope);
      const { approval_id, status } = envelope.data as { readonly approval_id?: string; readonly status?: string };
      if (response.statusCode === 202 && status === 'pending' && approval_id !== undefined) throw new CallWaits(approval_id);
      return envelope.data as T;
    });
  }

  private async withTicket<T>(call: (authorization: string) => Promise<T>): Promise<T> {
    const authorization = this.tickets.issue(this.holder);
    try {
      return await call(authorization);
    } finally {
      // A call that was refused before its authentication has not used the ticket.
      this.tickets.redeem(authorization);
    }
  }
}

/**
 * Tag of a template that returns a path, with every value encoded: `` pathOf`/partners/${id}` ``.
 * @throws AdminApiError for `.` and `..`, which would lead to another path; no id of the service has that form
 */
export function pathOf(texts: TemplateStringsArray, ...values: readonly (string | number)[]): string {
  if (values.some((value) => value === '.' || value === '..')) throw new AdminApiError(404, 'route_not_found', 'Nothing has this id.');
  return texts.map((text, index) => (index === 0 ? text : `${encodeURIComponent(values[index - 1] ?? '')}${text}`)).join('');
}

/** Returns the query string of the values that are set, with its question mark; empty without any. */
export function queryOf(values: QueryValues): string {
  const set = Object.entries(values).flatMap(([name, value]) => (value == null || value === '' ? [] : [[name, String(value)]]));
  return set.length === 0 ? '' : `?${new URLSearchParams(set).toString()}`;
}

function errorOf(status: number, { code = 'internal_error', message = 'The call failed.', data }: Envelope): AdminApiError {
  return new AdminApiError(status, code, message, data as Record<string, unknown>);
}

async function textOf(body: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(Buffer.from(chunk as Buffer));
  return Buffer.concat(chunks).toString();
}
