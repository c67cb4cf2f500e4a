import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { runInNewContext } from 'node:vm';
import { type Document, operationsOf } from '../../src/documentation/openapi/parts.js';
import { sharedApplication } from '../support/application.js';
import { admin, makePartner, whenServed } from '../support/client.js';
import { type Application } from '../support/service.js';

describe('the documentation', () => {
  let service: Application;
  beforeAll(async () => {
    service = await sharedApplication();
  });

  it('has no link that leads nowhere, on any of its pages, and loads nothing from other origins', async () => {
    const pages = new Map<string, string>();
    const links: [page: string, target: URL][] = [];
    const follow = async (url: URL): Promise<void> => {
      const { pathname } = url;
      if (pages.has(pathname)) return;
      pages.set(pathname, '');
      const response = await fetch(url, { headers: { Accept: 'text/html' } });
      // The status is 503 while a read model lags, which other specs may cause.
      const allowed = pathname === '/health' ? [200, 503] : [200];
      expect([pathname, allowed.includes(response.status)]).toStrictEqual([pathname, true]);
      const text = await response.text();
      if (!response.headers.get('content-type')?.startsWith('text/html')) return;
      pages.set(pathname, text);
      const found = [...text.matchAll(/<(\w+) [^>]*?(?:href|src)="([^"]+)"/g)].map(([, tag, href = '']) => ({
        tag,
        url: new URL(href, url),
      }));
      for (const each of found) {
        if (each.tag !== 'a') expect(each.url.origin).toBe(service.url);
        if (each.url.origin !== service.url) continue;
        links.push([pathname, each.url]);
        await follow(each.url);
      }
    };
    await follow(new URL(service.url));
    expect(pages.size).toBeGreaterThan(20);
    for (const [page, { pathname, hash }] of links)
      if (hash)
        expect([page, pathname + hash, pages.get(pathname)?.includes(`id="${hash.slice(1)}"`)]).toStrictEqual([
          page,
          pathname + hash,
          true,
        ]);
  });

  it('is listed for programs, with each guide as Markdown', async () => {
    const list = await fetch(`${service.url}/llms.txt`);
    expect([list.status, list.headers.get('content-type')]).toStrictEqual([200, 'text/plain; charset=utf-8']);
    const addresses = [...(await list.text()).matchAll(/\]\((\S+)\)/g)].map(([, address = '']) => new URL(address));
    expect(addresses.length).toBeGreaterThan(10);
    for (const { pathname } of addresses) {
      const response = await fetch(service.url + pathname);
      expect([pathname, response.status]).toStrictEqual([pathname, 200]);
      if (!pathname.endsWith('.md')) continue;
      expect(response.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
      expect(await response.text()).toMatch(/^# \w/);
    }
  });

  it.each(['/', '/docs/guides/lookups', '/docs', '/docs/admin'])(
    'is usable on a telephone, and allows no foreign or inline script: %s',
    async (path) => {
      const response = await fetch(service.url + path);
      const html = await response.text();
      expect(html).toContain('<meta name="viewport" content="width=device-width, initial-scale=1">');
      expect(html).not.toMatch(/<script(?![^>]*\bsrc=)|\son\w+=/);
      const policy = response.headers.get('content-security-policy') ?? '';
      expect(policy).toMatch(/^default-src 'none'; /);
      expect(policy.includes("script-src 'self'")).toBe(html.includes('<script'));
      const again = await fetch(service.url + path, { headers: { 'If-None-Match': response.headers.get('etag') ?? '' } });
      expect([again.status, await again.text()]).toStrictEqual([304, '']);
    },
  );

  it('is what browsers get at /, while programs get 404, and other methods 405', async () => {
    const get = async (accept: string, method = 'GET'): Promise<[status: number, type: string, allow: string | null, body: string]> => {
      const response = await fetch(service.url, { method, headers: { Accept: accept } });
      const { headers, status } = response;
      return [status, headers.get('content-type') ?? '', headers.get('allow'), await response.text()];
    };
    for (const accept of ['text/html,application/json;q=0.9', '*/*'])
      expect(await get(accept)).toStrictEqual([200, 'text/html; charset=utf-8', null, expect.stringContaining('<h1>')]);
    const json = 'application/json; charset=utf-8';
    expect(await get('application/json')).toStrictEqual([404, json, null, expect.stringContaining('"code":"route_not_found"')]);
    expect(await get('*/*', 'POST')).toStrictEqual([405, json, 'GET, HEAD', expect.stringContaining('"code":"method_not_allowed"')]);
  });

  it('redirects from the folder of the guides to the first one', async () => {
    for (const path of ['/docs/guides', '/docs/guides/'])
      expect((await fetch(service.url + path, { redirect: 'manual' })).headers.get('location')).toMatch(/^\.\/(guides\/)?getting-started$/);
  });

  it('shows the reference for the host and prefix of the page, whatever PUBLIC_URL says', async () => {
    const script = await (await fetch(`${service.url}/docs/start.js`)).text();
    const shown: Document[] = [];
    const started = new Promise<void>((resolve) => {
      runInNewContext(script, {
        URL,
        document: {
          currentScript: { src: 'http://localhost:3000/rupa/docs/start.js', dataset: { document: 'partner-json' } },
          documentElement: { classList: { toggle: () => undefined } },
        },
        matchMedia: () => ({ matches: false, addEventListener: () => undefined }),
        fetch: (url: URL) => {
          expect(url.href).toBe('http://localhost:3000/rupa/docs/partner-json');
          return fetch(`${service.url}/docs/partner-json`);
        },
        SwaggerUIBundle: ({ spec }: { spec: Document }) => {
          shown.push(spec);
          resolve();
        },
      });
    });
    await started;
    expect(shown[0]?.servers).toStrictEqual([{ url: 'http://localhost:3000/rupa' }]);
    // Swagger UI fills a field with its example: that of an optional parameter belongs to no call of the reader.
    const filled = operationsOf(shown[0]?.paths ?? {}).flatMap(({ operation }) => operation.parameters ?? []);
    expect(filled.length).toBeGreaterThan(10);
    expect(filled.filter(({ required, example }) => required !== true && example !== undefined)).toStrictEqual([]);
  });

  it('has a collection whose requests all work, one after the other, with the key of a new sandbox account', async () => {
    const partner = await makePartner(service, { mode: 'sandbox', credit: 0 });
    const collection = (await (await fetch(`${service.url}/docs/collection.json`)).json()) as Collection;
    const variables = new Map(collection.variable.map(({ key, value }) => [key, value]));
    expect([...variables.keys()]).toStrictEqual(['baseUrl', 'apiKey', 'lookupId', 'webhookId', 'deliveryId']);
    variables.set('baseUrl', service.url).set('apiKey', partner.key);
    const refused: string[] = [];
    for (const item of collection.item.flatMap((folder) => folder.item)) {
      // Every checkpoint of the service covers the first entry of the account from then on; the service makes one each hour.
      if (item.request.url.raw.endsWith('/wallet/proof')) await admin(service, 'POST', '/checkpoints');
      const { status, body } = await sendAsPostman(collection, item, variables);
      if (status >= 300) refused.push(`${item.name}: ${status} ${body.slice(0, 300)}`);
    }
    expect(refused).toStrictEqual([]);
  });
});

interface Pair {
  readonly key: string;
  readonly value: string;
  readonly disabled?: boolean;
}

interface Item {
  readonly name: string;
  readonly event?: readonly { readonly script: { readonly exec: readonly string[] } }[];
  readonly request: {
    readonly method: string;
    readonly header: readonly Pair[];
    readonly url: { readonly raw: string; readonly query?: readonly Pair[]; readonly variable?: readonly Pair[] };
    readonly body?: { readonly raw: string };
  };
}

interface Collection {
  readonly auth: { readonly apikey: readonly Pair[] };
  readonly variable: readonly Pair[];
  readonly item: readonly { readonly item: readonly Item[] }[];
}

/** Sends a request of the collection, and runs its script with what it uses of Postman. */
async function sendAsPostman(
  { auth }: Collection,
  { request, event = [] }: Item,
  variables: Map<string, string>,
): Promise<{ readonly status: number; readonly body: string }> {
  const filled = (text: string): string =>
    text.replaceAll('{{$guid}}', randomUUID()).replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => variables.get(name) ?? '');
  const sent = (pairs: readonly Pair[] = []): [string, string][] =>
    pairs.filter(({ disabled }) => disabled !== true).map(({ key, value }) => [key, filled(value)]);
  const path = Object.entries(Object.fromEntries(sent(request.url.variable)));
  const url = path.reduce((text, [name, value]) => text.replace(`/:${name}`, `/${encodeURIComponent(value)}`), filled(request.url.raw));
  const query = new URLSearchParams(sent(request.url.query)).toString();
  const [name = '', key = ''] = ['key', 'value'].map((part) => filled(auth.apikey.find((each) => each.key === part)?.value ?? ''));
  const response = await whenServed(async () => {
    const { method, header, body } = request;
    const got = await fetch(query === '' ? url : `${url}?${query}`, {
      method,
      headers: { [name]: key, ...Object.fromEntries(sent(header)) },
      ...(body ? { body: filled(body.raw) } : {}),
    });
    return { status: got.status, body: await got.text() };
  });
  const pm = {
    response: { code: response.status, json: (): unknown => JSON.parse(response.body) },
    collectionVariables: { set: (variable: string, value: unknown) => variables.set(variable, String(value)) },
  };
  for (const { script } of event) runInNewContext(script.exec.join('\n'), { pm });
  return response;
}
