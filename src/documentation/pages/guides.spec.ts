import { describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { PARTNER_ERRORS } from '../../http/errors/error-codes.js';
import { Failures } from '../../http/envelope.js';
import { GUIDES, guideMarkdown, guidePage, PARTNER_GUIDES, type Served, withTabs } from './guides.js';
import { withSamples } from './samples.js';
import { renderMarkdown } from './markdown.js';

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

const render = (markdown: string): string => withTabs(renderMarkdown(markdown, (href) => href).html);
const listing = (language: string): string => `\`\`\`${language}\n${language}()\n\`\`\`\n\n`;

describe('listings', () => {
  it('are tabs if they follow one another in several languages, each shown by its own button', () => {
    const html = render(`${listing('js')}${listing('python')}${listing('csharp')}text\n\n${listing('go')}${listing('java')}`);
    expect([...html.matchAll(/<label for="([\w-]+)">([^<]+)</g)].map(([, id, name]) => [id, name])).toStrictEqual([
      ['language-1-0', 'Node'],
      ['language-1-1', 'Python'],
      ['language-1-2', 'C#'],
      ['language-2-0', 'Go'],
      ['language-2-1', 'Java'],
    ]);
    expect(html.match(/ checked>/g)).toHaveLength(2);
    expect(html.match(/<pre /g)).toHaveLength(5);
  });

  it('are no tabs with those before or after a text, which stays where it is', () => {
    const html = render(`${listing('js')}before\n\n${listing('go')}${listing('java')}between\n\n${listing('php')}`);
    expect(html).toMatch(/js\(\)[^]*<p>before<\/p>\n<div class="tabs"[^]*go\(\)[^]*java\(\)[^]*<p>between<\/p>[^]*php\(\)/);
    expect(html.match(/<label /g)).toHaveLength(2);
  });

  it('stay as they are alone, and beside shell commands and responses', () => {
    for (const markdown of [listing('js'), `${listing('sh')}${listing('json')}`, `${listing('js')}text\n\n${listing('php')}`])
      expect(render(markdown)).not.toContain('class="tabs"');
  });
});
