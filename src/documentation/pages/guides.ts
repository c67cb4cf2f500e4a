import { readFileSync } from 'node:fs';
import { escapeHtml } from '../../http/pages/page.js';
import { EXAMPLE_URL } from '../../http/openapi/errors.js';
import { page } from './layout.js';
import { type Heading, type RenderedMarkdown, renderMarkdown } from './markdown.js';

/** The folder `docs/` of the sources or of the build, which holds a copy of the guides. */
export const DOCS = new URL('../../../docs/', import.meta.url);

/** The sentence of a guide that gives way to the addresses. */
const SOURCE_ADDRESSES = 'Your contact names the addresses that deliveries come from.';

export interface Guide {
  /** Last segment of the path of its page. */
  readonly name: string;
  /** Path of its Markdown below docs/. */
  readonly file: string;
  readonly title: string;
  /** Completes the sentence "Read this guide to …". */
  readonly purpose: string;
}

/** The guides for partners, in the order of the menu. */
export const PARTNER_GUIDES = [
  partnerGuide('getting-started', 'Getting started', 'make the first calls, and keep your API key safe'),
  partnerGuide('lookups', 'Lookups', 'read a farmer’s record, and retry without paying twice'),
  partnerGuide('reports', 'Reports', 'report activities of farmers'),
  partnerGuide('portfolio', 'Score a portfolio', 'look up and report from a CSV file'),
  partnerGuide('webhooks', 'Webhooks', 'be notified of farmers’ events, and verify signatures'),
  partnerGuide('wallet', 'Account and wallet', 'see your balance, lookups and statements, and check them'),
  partnerGuide('sandbox', 'Sandbox', 'try everything with fictitious farmers and play money'),
  partnerGuide('errors', 'Errors and limits', 'handle every error, and stay within the limits'),
  partnerGuide('going-live', 'Going live', 'check your integration before it handles real farmers'),
  partnerGuide('versions', 'Versions', 'know what may change, and what your client must tolerate'),
  partnerGuide('changelog', 'Changes', 'see what changed in the interface, and when'),
] as const satisfies readonly Guide[];

export const AUDIT_GUIDE = {
  name: 'audit',
  file: 'audit.md',
  title: 'Auditing',
  purpose: 'check everything that the service recorded, or a single wallet, without its software',
} as const satisfies Guide;

/** Every guide. scripts/build.mjs copies the same files. */
export const GUIDES = [...PARTNER_GUIDES, AUDIT_GUIDE] as const;

/** The facts of this service that the guides state. */
export interface Served {
  /** Base URL of the service. */
  readonly publicUrl: string;
  /** The addresses that webhooks come from; empty if the operator does not name them. */
  readonly webhookSourceAddresses: readonly string[];
}

function partnerGuide<Name extends string>(name: Name, title: string, purpose: string): Guide & { readonly name: Name } {
  return { name, file: `partners/${name}.md`, title, purpose };
}

/** Returns the page of a guide, with the list of partners' guides beside it. */
export function guidePage(guide: Guide, served: Served): string {
  const { html, headings } = renderedGuide(guide, served);
  const listed = guide === AUDIT_GUIDE ? [AUDIT_GUIDE] : PARTNER_GUIDES;
  return page({
    title: guide.title,
    root: '../../',
    current: `docs/guides/${guide.name}`,
    body: `<div class="columns">
<nav class="guides" aria-label="Guides">${listed.map((each) => entry(each, guide, headings)).join('')}</nav>
<main class="page">
${html}</main>
</div>`,
  });
}

export function renderedGuide(guide: Guide, served: Served): RenderedMarkdown {
  const { html, headings } = renderMarkdown(guideMarkdown(guide, served), (href) => linkFrom(guide, href));
  return { html: withTabs(html), headings };
}

/** Returns the Markdown of a guide, for programs, with the addresses of this service. */
export function guideMarkdown({ file }: Guide, { publicUrl, webhookSourceAddresses }: Served): string {
  const markdown = readFileSync(new URL(file, DOCS), 'utf8').replaceAll(EXAMPLE_URL, publicUrl);
  if (webhookSourceAddresses.length === 0) return markdown;
  const addresses = webhookSourceAddresses.map((address) => `\`${address}\``).join(', ');
  return markdown.replace(SOURCE_ADDRESSES, `Deliveries come from ${addresses}.`);
}

/** Returns the list of the guides in the form of llmstxt.org. */
export function guidesForPrograms({ publicUrl: base }: Served): string {
  const lines = PARTNER_GUIDES.map(({ name, title, purpose }) => `- [${title}](${base}/docs/guides/${name}.md): ${purpose}`);
  return `# Rupa

> Partners look up farmers by their Rupa ID, report what happened, and are notified by signed webhooks. Each lookup is paid from a prepaid wallet in naira.

## Guides

${lines.join('\n')}

## Reference

- [OpenAPI document](${base}/docs/partner-json): every call, its fields and its errors
- [Collection](${base}/docs/collection.json): every call with an example
- [${AUDIT_GUIDE.title}](${base}/docs/guides/${AUDIT_GUIDE.name}.md): ${AUDIT_GUIDE.purpose}
`;
}

function entry({ name, title }: Guide, shown: Guide, headings: readonly Heading[]): string {
  if (name !== shown.name) return `<a href="./${name}">${title}</a>`;
  const parts = headings.filter(({ depth }) => depth === 2).map(({ id, text }) => `<a href="#${id}">${escapeHtml(text)}</a>`);
  return `<a href="./${name}" aria-current="page">${title}</a><div class="parts">${parts.join('')}</div>`;
}

/** Returns the address of a link's target for browsers, or undefined if the target is a file that is not served. */
function linkFrom(guide: Guide, href: string): string | undefined {
  if (/^(https:|#)/.test(href)) return href;
  const { pathname, hash } = new URL(href, `file:///${guide.file}`);
  const target = GUIDES.find(({ file }) => `/${file}` === pathname);
  return target && `./${target.name}${hash}`;
}

/** Names of the languages of which a reader chooses one. */
const NAMES: Readonly<Record<string, string>> = {
  js: 'Node',
  python: 'Python',
  php: 'PHP',
  go: 'Go',
  java: 'Java',
  csharp: 'C#',
};

// A listing has no tag `</pre>` of its own, because its text is escaped.
const LISTING = /<div class="code"><pre tabindex="0" data-language="(?:js|python|php|go|java|csharp)">(?:(?!<\/pre>)[^])*<\/pre><\/div>\n/g;
const LISTINGS = new RegExp(`(?:${LISTING.source}){2,}`, 'g');

/** Makes tabs of listings in several languages that follow one another. They are radio buttons, so that they work without a script. */
export function withTabs(html: string): string {
  let sets = 0;
  return html.replaceAll(LISTINGS, (listings) => {
    sets += 1;
    const each = listings.match(LISTING) ?? [];
    const tabs = each.map((listing, index) => {
      const language = /data-language="(\w+)"/.exec(listing)?.[1] ?? '';
      const id = `language-${sets}-${index}`;
      const checked = index === 0 ? ' checked' : '';
      return `<input type="radio" name="language-${sets}" id="${id}"${checked}><label for="${id}">${NAMES[language] ?? ''}</label>`;
    });
    return `<div class="tabs" role="group" aria-label="Language">${tabs.join('')}\n${each.join('')}</div>\n`;
  });
}
