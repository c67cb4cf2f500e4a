import { describe, expect, it } from '@jest/globals';
import { renderMarkdown } from './markdown.js';

const render = (markdown: string): string => renderMarkdown(markdown, (href) => (href === 'gone.md' ? undefined : href)).html;

describe('rendered Markdown', () => {
  it('shows tags as text and leaves out comments', () => {
    expect(render('a <script>alert(1)</script> b')).toBe('<p>a &lt;script&gt;alert(1)&lt;/script&gt; b</p>\n');
    expect(render('<!-- errors -->\n\n<img src=x onerror=alert(1)>\n')).toBe('&lt;img src=x onerror=alert(1)&gt;\n');
  });

  it('escapes code and its language', () => {
    expect(render('```sh "x"\na < b && c\n```')).toBe(
      '<div class="code"><pre tabindex="0" data-language="sh &quot;x&quot;"><code>a &lt; b &amp;&amp; c\n</code></pre></div>\n',
    );
  });

  it('keeps the text of a link without a target, and escapes the address of another', () => {
    expect(render('[one](gone.md) [two](https://x.example/?a="b")')).toBe(
      '<p>one <a href="https://x.example/?a=&quot;b&quot;">two</a></p>\n',
    );
  });

  it('gives headings the anchors that GitHub gives them, each once', () => {
    const { headings } = renderMarkdown('# A\n\n## `X-Y`: it’s (two)\n\n## A\n\n## A\n', (href) => href);
    expect(headings).toStrictEqual([
      { depth: 1, id: 'a', text: 'A' },
      { depth: 2, id: 'x-y-its-two', text: 'X-Y: it’s (two)' },
      { depth: 2, id: 'a-1', text: 'A' },
      { depth: 2, id: 'a-2', text: 'A' },
    ]);
  });

  it('puts a table into a part that scrolls, and names the column in each cell', () => {
    const html = render('| a | `"` |\n| - | - |\n| `b` | c |\n');
    expect(html).toMatch(/^<div class="wide" tabindex="0"><table>\n<thead><tr><th>a<\/th><th><code>&quot;<\/code><\/th><\/tr>/);
    expect(html).toContain('<tr><td data-column="a"><code>b</code></td><td data-column="&quot;">c</td></tr>');
  });

  it('makes each row of a table of codes a target of links', () => {
    expect(render('| Status | `code` |\n| - | - |\n| 404 | `gone` |\n')).toContain('<tr id="gone"><td data-column="Status">404</td>');
  });
});
