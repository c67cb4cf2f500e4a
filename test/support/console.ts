import { type Application } from './service.js';

/** A form of a page, with the values that it has. */
export interface FoundForm {
  readonly action: string;
  readonly fields: readonly (readonly [name: string, value: string])[];
  /** The names of its buttons, as a screen reader says them. */
  readonly buttons: readonly string[];
}

/** Returns the forms of a page that are submitted. */
export function formsIn(html: string): readonly FoundForm[] {
  return [...html.matchAll(/<form method="post" action="([^"]+)"[^>]*>(.*?)<\/form>/gs)].map(([, action = '', inside = '']) => ({
    action: textIn(action),
    fields: [...inside.matchAll(FIELD)].flatMap(([field, tag = '', attributes = '', content = '']) => {
      const name = /\sname="([^"]*)"/.exec(attributes)?.[1];
      const isLeftOut = name === undefined || (attributes.includes('type="checkbox"') && !/\schecked/.test(attributes));
      return isLeftOut ? [] : [[textIn(name), valueOf(tag, tag === 'input' ? field : content)] as const];
    }),
    buttons: [...inside.matchAll(/<button[^>]*>(.*?)<\/button>/gs)].map(([, text = '']) => textIn(text.replaceAll(/<[^>]*>/g, ''))),
  }));
}

const FIELD = /<(input|textarea|select)(\s[^>]*)>(?:(?<=<(?:textarea|select)[^>]*>)(.*?)<\/\1>)?/gs;

function valueOf(tag: string, text: string): string {
  if (tag === 'textarea') return textIn(text);
  if (tag === 'input') return textIn(/\svalue="([^"]*)"/.exec(text)?.[1] ?? '');
  const options = [...text.matchAll(/<option([^>]*)>/g)].map(([, attributes = '']) => attributes);
  const chosen = options.find((attributes) => /\sselected/.test(attributes)) ?? options[0] ?? '';
  return textIn(/\svalue="([^"]*)"/.exec(chosen)?.[1] ?? '');
}

function textIn(html: string): string {
  const names: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', amp: '&' };
  return html.replaceAll(/&(lt|gt|quot|amp);/g, (all, name: string) => names[name] ?? all);
}

type ConsoleRequest = Omit<RequestInit, 'headers'> & { readonly headers: Readonly<Record<string, string>> };

/** A browser without scripts: it keeps cookies, and does not follow redirects. */
export class ConsoleVisitor {
  private readonly cookies = new Map<string, string>();

  constructor(private readonly service: Pick<Application, 'url'> & Partial<Pick<Application, 'repeatsUnserved'>>) {}

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

  /**
   * Opens a page, fills in its form with this action, and submits it. If the console asks to confirm the act, confirms it.
   * @returns the response to the last submission
   */
  async act(page: string, action: string, fields: Readonly<Record<string, string>> = {}): Promise<Response> {
    const response = await this.submit(action, { ...(await this.form(page, action)), ...fields });
    const next = response.headers.get('location') ?? '';
    if (!next.startsWith('/console/confirm/')) return response;
    return await this.submit(action, await this.form(next, action));
  }

  /** Returns the values of the form with this action on a page. */
  async form(page: string, action: string): Promise<Record<string, string>> {
    const found = formsIn(await (await this.get(page)).text()).find((form) => form.action === action);
    if (!found) throw new Error(`${page} has no form for ${action}.`);
    return Object.fromEntries(found.fields);
  }

  /** Returns what the service itself puts into a form, for an act that the person's pages do not offer. */
  async crafted(from = '/console'): Promise<Record<string, string>> {
    const forms = formsIn(await (await this.get('/console/read-models')).text());
    const { _csrf = '', _key = '' } = Object.fromEntries(forms.find(({ action }) => action.endsWith('/verify'))?.fields ?? []);
    return { _csrf, _key, _from: from };
  }

  cookie(name: string): string | undefined {
    return this.cookies.get(name);
  }

  /** Returns a visitor with the same cookies. */
  copy(): ConsoleVisitor {
    const other = new ConsoleVisitor(this.service);
    other.takeCookiesOf(this);
    return other;
  }

  /** Continues the session of another visitor, which may be at another API. */
  takeCookiesOf(other: ConsoleVisitor): void {
    for (const [name, value] of other.cookies) this.cookies.set(name, value);
  }

  /** Sends a request, again if the service repeats what a busy machine has not served. A provider of identities that is away is not a store. */
  private async send(path: string, request: ConsoleRequest): Promise<Response> {
    const repeats = this.service.repeatsUnserved && !path.startsWith('/console/sign-in');
    for (;;) {
      const response = await this.sendOnce(path, request);
      if (!repeats || response.status !== 503 || response.headers.get('Retry-After') !== '1') return response;
      await response.body?.cancel();
    }
  }

  private async sendOnce(path: string, request: ConsoleRequest): Promise<Response> {
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
