import { describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { PARTNER_ERRORS } from '../../http/errors/error-codes.js';
import { Failures } from '../../http/envelope.js';
import { GUIDES, guideMarkdown, guidePage, PARTNER_GUIDES, type Served } from './guides.js';
import { withSamples } from './samples.js';

const SERVED: Served = { publicUrl: 'https://data.example/rupa', webhookSourceAddresses: [] };
const LANGUAGES = ['Node', 'Python', 'PHP', 'Go', 'Java', 'C#'];
const named = (name: string) => GUIDES.find((guide) => guide.name === name) ?? GUIDES[0];

describe('the guides', () => {
  it('are all pages of docs/partners', () => {
    const served = GUIDES.map(({ file }) => file).filter((file) => file.startsWith('partners/'));
    expect(served.toSorted()).toStrictEqual(readdirSync('docs/partners').map((name) => `partners/${name}`));
  });

  it.each(GUIDES.map((guide) => [guide.title, guide] as const))(
    'have their title as the only heading of the first level: %s',
    (title, guide) => {
      const html = guidePage(guide, SERVED);
      expect([...html.matchAll(/<h1 [^>]*>(.*?)<\/h1>/g)].map(([, text]) => text)).toStrictEqual([title]);
      expect(html).not.toMatch(/<script(?![^>]*\bsrc=)|\sstyle=|\son\w+=/);
      expect(readFileSync(`docs/${guide.file}`, 'utf8')).not.toMatch(/\$(BASE|KEY)\b/);
    },
  );

  it.each(GUIDES.map((guide) => [guide.name, guide] as const))('show the address of the service: %s', (_name, guide) => {
    for (const text of [guideMarkdown(guide, SERVED), guidePage(guide, SERVED)]) expect(text).not.toContain('https://rupa.example');
  });

  it('name no registry, and run no package that is not installed', () => {
    for (const guide of PARTNER_GUIDES)
      expect(guideMarkdown(guide, SERVED)).not.toMatch(/npmjs|npx (?:@|rupa)|npm (?:i|install) (?!\$RUPA_URL\/)/);
  });

  it.each(['lookups', 'webhooks'])('show the samples of examples/without-packages (if not, run: npm run samples): %s', (name) => {
    const page = readFileSync(`docs/partners/${name}.md`, 'utf8');
    expect(page).toBe(withSamples(page, (file) => readFileSync(`examples/without-packages/${file}`, 'utf8')));
    const [tabs = ''] = /<div class="tabs"[^]*?\n/.exec(guidePage(named(name), SERVED)) ?? [];
    expect([...tabs.matchAll(/<label [^>]*>([^<]+)</g)].map(([, language]) => language)).toStrictEqual(LANGUAGES);
  });

  it('explain every error where its doc_url leads', () => {
    const [failures, page] = [new Failures(SERVED.publicUrl), guidePage(named('errors'), SERVED)];
    for (const code of Object.keys(PARTNER_ERRORS) as (keyof typeof PARTNER_ERRORS)[]) {
      const { doc_url: address } = failures.of(code);
      expect(address).toBe(`https://data.example/rupa/docs/guides/errors#${code}`);
      expect(page).toContain(`<tr id="${code}">`);
    }
  });

  it('name the addresses that webhooks come from, if the operator does', () => {
    const guide = named('webhooks');
    expect(guideMarkdown(guide, SERVED)).toContain('Your contact names the addresses that deliveries come from.');
    const addresses = ['192.0.2.4', '2001:db8::/64'];
    expect(guideMarkdown(guide, { ...SERVED, webhookSourceAddresses: addresses })).toContain(
      'Deliveries come from `192.0.2.4`, `2001:db8::/64`.',
    );
  });
});
