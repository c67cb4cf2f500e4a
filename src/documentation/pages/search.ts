import { escapeHtml } from '../../http/pages/page.js';
import { type Guide, PARTNER_GUIDES, renderedGuide, type Served } from './guides.js';
import { page } from './layout.js';

/** Longest text that is searched for, in characters. */
const MAX_QUERY = 100;
const MAX_FOUND = 30;
/** Characters of a section's text that a result shows before and after the first word found. */
const AROUND = 90;
/** A word in a heading says more about a section than one in its text. */
const HEADING_WEIGHT = 10;

const ENTITIES: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" };

/** A part of a guide that begins with a heading. */
interface Section {
  readonly guide: Guide;
  readonly id: string;
  readonly heading: string;
  readonly text: string;
}

/** Searches partners' guides. */
export class GuideSearch {
  private readonly sections: readonly Section[];

  constructor(served: Served) {
    this.sections = PARTNER_GUIDES.flatMap((guide) => sectionsOf(guide, renderedGuide(guide, served).html));
  }

  /** Returns the page with the sections that contain every word of the query, in any case, the best first. */
  page(query: string): string {
    const words = query.slice(0, MAX_QUERY).toLowerCase().split(/\s+/).filter(Boolean);
    const found = words.length === 0 ? [] : this.sectionsWith(words);
    const results = found.map(({ guide, id, heading, text }) => {
      const title = heading === guide.title ? heading : `${guide.title}: ${heading}`;
      return `<li><a href="./guides/${guide.name}#${id}">${escapeHtml(title)}</a><span>${excerpt(text, words)}</span></li>`;
    });
    const said =
      found.length === 0 ? 'No guide contains all these words.' : found.length === 1 ? 'One section' : `${found.length} sections`;
    return page({
      title: 'Search',
      root: '../',
      current: 'docs/search',
      query: query.slice(0, MAX_QUERY),
      body: `<main class="page home">
<h1>Search</h1>
<p role="status">${said}</p>
<ul class="cards found">
${results.join('\n')}
</ul>
</main>`,
    });
  }

  private sectionsWith(words: readonly string[]): readonly Section[] {
    return this.sections
      .map((section) => ({ section, score: scoreOf(section, words) }))
      .filter(({ score }) => score > 0)
      .sort((one, other) => other.score - one.score)
      .slice(0, MAX_FOUND)
      .map(({ section }) => section);
  }
}

/** Returns 0 for a section that lacks one of the words. */
function scoreOf({ heading, text }: Section, words: readonly string[]): number {
  const [inHeading, inText] = [heading.toLowerCase(), text.toLowerCase()];
  const each = words.map((word) => (inHeading.includes(word) ? HEADING_WEIGHT : 0) + inText.split(word).length - 1);
  return each.includes(0) ? 0 : each.reduce((sum, score) => sum + score, 0);
}

function sectionsOf(guide: Guide, html: string): readonly Section[] {
  return html.split(/(?=<h[123] id=")/).flatMap((part) => {
    const [head, id = '', heading = ''] = /^<h[123] id="([^"]+)">(.*?)<\/h[123]>/.exec(part) ?? [];
    return head === undefined ? [] : [{ guide, id, heading: textOf(heading).replace(/#$/, ''), text: textOf(part.slice(head.length)) }];
  });
}

/** Returns the text of our own HTML. */
function textOf(html: string): string {
  const text = html.replaceAll(/<\/?(?:t[hdr]|li|p|pre|div)\b[^>]*>/g, ' ').replaceAll(/<[^>]+>/g, '');
  return text
    .replaceAll(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] ?? '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** Returns HTML: the text around the first word that it contains, with each word marked. */
function excerpt(text: string, words: readonly string[]): string {
  const places = words.map((word) => text.toLowerCase().indexOf(word)).filter((place) => place >= 0);
  const first = Math.min(...places, text.length);
  const from = first > AROUND && first < text.length ? text.lastIndexOf(' ', first - AROUND) + 1 : 0;
  const end = text.indexOf(' ', from + 2 * AROUND);
  const part = text.slice(from, end < 0 ? text.length : end);
  const pattern = new RegExp(`(${words.map((word) => word.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)).join('|')})`, 'gi');
  const marked = part.split(pattern).map((piece, index) => (index % 2 === 1 ? `<mark>${escapeHtml(piece)}</mark>` : escapeHtml(piece)));
  return `${from > 0 ? '… ' : ''}${marked.join('')}${from + part.length < text.length ? ' …' : ''}`;
}
