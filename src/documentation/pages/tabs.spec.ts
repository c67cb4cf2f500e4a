import { describe, expect, it } from '@jest/globals';
import { renderMarkdown } from './markdown.js';
import { withTabs } from './tabs.js';

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
