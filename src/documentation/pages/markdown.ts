import { Marked, type Tokens } from 'marked';
import { escapeHtml } from '../../http/pages/page.js';

export interface Heading {
  readonly depth: number;
  readonly id: string;
  readonly text: string;
}

export interface RenderedMarkdown {
  readonly html: string;
  readonly headings: readonly Heading[];
}

/**
 * Renders Markdown. HTML in it is not passed through: comments are left out, and tags are shown as text.
 * @param hrefOf returns the address of a link's target, or undefined for a link of which only the text remains
 */
export function renderMarkdown(markdown: string, hrefOf: (href: string) => string | undefined): RenderedMarkdown {
  const headings: Heading[] = [];
  const marked = new Marked({ gfm: true });
  marked.use({
    renderer: {
      html({ text }) {
        return /^<!--[^]*-->\s*$/.test(text) ? '' : escapeHtml(text);
      },
      heading({ tokens, depth, text }) {
        const id = anchorOf(text, headings);
        headings.push({ depth, id, text: text.replaceAll('`', '') });
        const link = depth > 1 ? `<a class="anchor" href="#${id}" aria-label="Link to this section">#</a>` : '';
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}${link}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const target = hrefOf(href);
        const text = this.parser.parseInline(tokens);
        return target === undefined ? text : `<a href="${escapeHtml(target)}">${text}</a>`;
      },
      code({ text, lang }) {
        // The page's script puts a button beside the text (layout.ts).
        return `<div class="code"><pre tabindex="0"${lang ? ` data-language="${escapeHtml(lang)}"` : ''}><code>${escapeHtml(text)}\n</code></pre></div>\n`;
      },
      table({ header, rows }) {
        const names = header.map(({ tokens }) => this.parser.parseInline(tokens));
        // Narrow screens show each cell below the name of its column (style.ts).
        const cell = ({ tokens }: Tokens.TableCell, column: number): string =>
          `<td data-column="${escapeHtml(header[column]?.text.replaceAll('`', '') ?? '')}">${this.parser.parseInline(tokens)}</td>`;
        // `doc_url` of an error leads to the row of its code.
        const codes = header.findIndex(({ text }) => text === '`code`');
        const line = (cells: Tokens.TableCell[]): string => {
          const code = cells[codes]?.text.replaceAll('`', '');
          return `<tr${code === undefined ? '' : ` id="${escapeHtml(code)}"`}>${cells.map(cell).join('')}</tr>\n`;
        };
        const head = `<thead><tr>${names.map((name) => `<th>${name}</th>`).join('')}</tr></thead>`;
        return `<div class="wide" tabindex="0"><table>\n${head}\n<tbody>\n${rows.map(line).join('')}</tbody>\n</table></div>\n`;
      },
    },
  });
  return { html: marked.parse(markdown, { async: false }), headings };
}

/** Returns the anchor that GitHub gives a heading, so that a link works there and on our pages. */
function anchorOf(text: string, before: readonly Heading[]): string {
  const anchor = text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');
  const same = before.filter(({ id }) => id === anchor || new RegExp(`^${anchor}-\\d+$`).test(id)).length;
  return same === 0 ? anchor : `${anchor}-${same}`;
}
