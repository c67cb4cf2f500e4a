import { createHash } from 'node:crypto';

/** Headers of an HTML page: no external resources, no scripts, no frames, no caching, no search engines. */
export function pageHeaders(style: string): Readonly<Record<string, string>> {
  const hash = createHash('sha256').update(style).digest('base64');
  return {
    'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'X-Robots-Tag': 'noindex',
  };
}

/** Returns a complete HTML document. `main` is HTML; `title` is text and gets escaped. */
export function htmlPage(title: string, style: string, main: string): string {
  return `${beginning(title, style)}${main}${END}`;
}

/** Yields a complete HTML document like {@link htmlPage}, for a `main` of any length. */
export async function* htmlPageOf(title: string, style: string, main: AsyncIterable<string>): AsyncGenerator<string> {
  yield beginning(title, style);
  yield* main;
  yield END;
}

function beginning(title: string, style: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
`;
}

const END = `
</body>
</html>
`;

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
