export interface SentRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly body: string | null;
}

/** A step of a script: the response to a request, or the error with which sending it fails. */
export type Step = Response | Error | ((init: RequestInit) => Promise<Response>);

export interface ScriptedFetch {
  readonly fetch: typeof globalThis.fetch;
  readonly sent: readonly SentRequest[];
}

/** Responds to one request after the other as the script says. A request beyond its end fails the test. */
export function scriptedFetch(...steps: Step[]): ScriptedFetch {
  const sent: SentRequest[] = [];
  const fetch = async (url: string, init: RequestInit): Promise<Response> => {
    const step = steps[sent.length];
    sent.push({ method: init.method ?? '', url, headers: new Headers(init.headers), body: (init.body ?? null) as string | null });
    if (step === undefined) throw new TypeError('The script has no step for this request.');
    if (step instanceof Error) throw step;
    return typeof step === 'function' ? await step(init) : step;
  };
  return { fetch: fetch as typeof globalThis.fetch, sent };
}

export function json(status: number, body: unknown, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), { status, headers: { 'Content-Type': 'application/json', ...headers } });
}

export const ok = (data: unknown): Response => json(200, { success: true, data });

export function failure(status: number, code: string, headers: Record<string, string> = {}, data?: unknown): Response {
  return json(status, { success: false, message: `It is ${code}.`, code, ...(data === undefined ? {} : { data }) }, headers);
}
