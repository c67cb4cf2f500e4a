import { describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { GUIDES, guidePage } from './guides.js';

describe('the guides', () => {
  it('are all pages of docs/partners', () => {
    const served = GUIDES.map(({ file }) => file).filter((file) => file.startsWith('partners/'));
    expect(served.toSorted()).toStrictEqual(readdirSync('docs/partners').map((name) => `partners/${name}`));
  });

  it.each(GUIDES.map((guide) => [guide.title, guide] as const))(
    'have their title as the only heading of the first level: %s',
    (title, guide) => {
      const html = guidePage(guide);
      expect([...html.matchAll(/<h1 [^>]*>(.*?)<\/h1>/g)].map(([, text]) => text)).toStrictEqual([title]);
      expect(html).not.toMatch(/<script|\sstyle=|\son\w+=/);
      expect(readFileSync(`docs/${guide.file}`, 'utf8')).not.toMatch(/\$(BASE|KEY)\b/);
    },
  );
});
