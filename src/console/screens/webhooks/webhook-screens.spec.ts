import { expect, it } from '@jest/globals';
import { type WatchedEndpoint, type WatchedEndpoints } from '../../../contexts/webhooks/endpoints/endpoint-health.dto.js';
import { type QueryValues } from '../../admin-api.js';
import { partOf } from '../../page.js';
import { type Routes, type Screen, type Visit } from '../../screen.js';
import { addWebhookScreens } from './webhook-screens.js';

const FAILING = 250;
const OTHERS = 150;

const all = [...Array(FAILING + OTHERS).keys()].map(
  (index) =>
    ({
      id: `e${index}`,
      url: `https://e${index}.example`,
      partner_id: 'p',
      failing_since: index < FAILING ? 'now' : null,
    }) as unknown as WatchedEndpoint,
);

/** The list of endpoints as the admin interface returns it. */
function listed(_path: string, { failing, limit, cursor }: QueryValues): Promise<WatchedEndpoints> {
  const wanted = all.filter(({ failing_since }) => (failing_since !== null) === failing);
  const [from, count] = [Number(cursor ?? 0), Number(limit)];
  const next_cursor = from + count < wanted.length ? String(from + count) : null;
  return Promise.resolve({ endpoints: wanted.slice(from, from + count), next_cursor });
}

async function pageAt(path: string): Promise<string> {
  const screens = new Map<string, (visit: Visit) => Promise<Screen> | Screen>();
  const ignored = (): void => undefined;
  const routes = { screen: (at: string, show: (visit: Visit) => Screen) => screens.set(at, show), act: ignored, download: ignored };
  addWebhookScreens(routes as unknown as Routes);
  const query = Object.fromEntries(new URL(path, 'http://console').searchParams);
  const screen = await screens.get('/webhooks')?.({ api: { get: listed }, query } as unknown as Visit);
  return screen ? partOf(screen.body) : '';
}

it('leads from the page of all endpoints to each of them, failing or not', async () => {
  const [found, paths] = [new Set<string>(), ['/console/webhooks']];
  for (const path of paths) {
    const html = await pageAt(path);
    for (const [, id = ''] of html.matchAll(/\/console\/webhooks\/(e\d+)"/g)) found.add(id);
    for (const [, next = ''] of html.matchAll(/rel="next" href="([^"]+)"/g)) paths.push(next.replaceAll('&amp;', '&'));
  }
  expect([...found].toSorted()).toStrictEqual(all.map(({ id }) => id).toSorted());
  expect(paths.length).toBeLessThan(10);
});
