import { type Application } from './service.js';

/** A browser without scripts: it keeps cookies, and does not follow redirects. */
export class ConsoleVisitor {
  private readonly cookies = new Map<string, string>();

  constructor(private readonly service: Pick<Application, 'url'>) {}

  /** Signs in with a token, and returns the response. */
  async signIn(token: string): Promise<Response> {
    return await this.submit('/console/sign-in', { token });
  }

  async get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    return await this.send(path, { headers });
  }

  /** Submits a form as a page of the service does. @param headers replace those of a browser */
  async submit(path: string, fields: Readonly<Record<string, string>>, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    return await this.send(path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', 'Sec-Fetch-Site': 'same-origin', ...headers },
      body: new URLSearchParams(fields).toString(),
    });
  }

  /** Sends a file as a script of a page does. */
  async upload(path: string, file: string, headers: Readonly<Record<string, string>>): Promise<Response> {
    const sent = { 'Content-Type': 'application/octet-stream', 'Sec-Fetch-Site': 'same-origin', ...headers };
    return await this.send(path, { method: 'POST', headers: sent, body: file });
  }

  /** Returns the token that the forms of a page contain; empty if it has none. */
  async csrf(path = '/console/partners'): Promise<string> {
    return /name="_csrf" value="([^"]+)"/.exec(await (await this.get(path)).text())?.[1] ?? '';
  }

  cookie(name: string): string | undefined {
    return this.cookies.get(name);
  }

  /** Returns a visitor with the same cookies. */
  copy(): ConsoleVisitor {
    const other = new ConsoleVisitor(this.service);
    for (const [name, value] of this.cookies) other.cookies.set(name, value);
    return other;
  }

  private async send(
    path: string,
    request: Omit<RequestInit, 'headers'> & { readonly headers: Readonly<Record<string, string>> },
  ): Promise<Response> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { ...request.headers, ...(cookie === '' ? {} : { Cookie: cookie }) };
    const response = await fetch(`${this.service.url}${path}`, { ...request, headers, redirect: 'manual' });
    for (const set of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      if (value === '') this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return response;
  }
}
