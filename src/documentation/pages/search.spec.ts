import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { GuideSearch } from './search.js';

const search = new GuideSearch({ publicUrl: 'https://data.example', webhookSourceAddresses: [] });
const linksOf = (html: string): string[] => [...html.matchAll(/<a href="\.\/guides\/([^"]+)"/g)].map(([, href = '']) => href);

describe('the search over the guides', () => {
  it('finds the section whose heading has the words, in any case', () => {
    expect(linksOf(search.page('api KEYS'))[0]).toBe('getting-started#api-keys');
  });

  it('shows the text around the first word, with each word marked', () => {
    expect(search.page('idempotency-key retry')).toMatch(/<mark>Idempotency-Key<\/mark>/);
  });

  it('says so if no section contains every word', () => {
    for (const query of ['', '   ', 'lookup xyzzy']) expect(search.page(query)).toContain('No guide contains all these words.');
  });

  it('finds only partners’ guides', () => {
    const links = ['evidence', 'log', 'wallet'].flatMap((word) => linksOf(search.page(word)));
    expect(links.length).toBeGreaterThan(0);
    expect(links.filter((href) => href.startsWith('audit#'))).toStrictEqual([]);
  });

  it('shows any text that is searched for as text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('<', '>', '"', '&', "'", '(', '[', '\\\\', '$', '*', 'a', ' ') }), (query) => {
        const html = search.page(query);
        const value = /name="q"[^>]*? value="([^"]*)"/.exec(html)?.[1] ?? '';
        expect(value).not.toMatch(/[<>]/);
        expect(html.split('<mark>').length).toBe(html.split('</mark>').length);
        expect(html.match(/<\/?[a-z]+[^<>]*>/g)?.join('')).not.toContain('<a>');
      }),
      { numRuns: 50 },
    );
  });
});
