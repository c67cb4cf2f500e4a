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
