import { escapeHtml } from '../../http/pages/page.js';

/** A page runs no scripts, and loads only the style sheet and the icon of this service. */
export const PAGE_POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export interface Page {
  readonly title: string;
  /** Relative path of the first page. All links are relative, so that they also work behind a proxy that adds a prefix. */
  readonly root: string;
  /** Path below the root of the entry of the menu that is shown. */
  readonly current: string;
  /** HTML that the page adds to its head. */
  readonly head?: string;
  /** HTML between the menu and the end of the page. */
  readonly body: string;
}

const MENU: readonly (readonly [path: string, name: string])[] = [
  ['docs/guides/getting-started', 'Guides'],
  ['docs', 'Reference'],
  ['docs/admin', 'Admin'],
];

/** Returns the HTML document of a page: the first page, a guide or a reference. */
export function page({ title, root, current, head = '', body }: Page): string {
  const menu = MENU.map(([path, name]) => {
    const isCurrent = path === current || (name === 'Guides' && current.startsWith('docs/guides/'));
    return `<a href="${root}${path}"${isCurrent ? ' aria-current="true"' : ''}>${name}</a>`;
  });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} – Rupa</title>
${head}<link rel="stylesheet" href="${root}docs/site.css">
<link rel="icon" type="image/png" href="${root}docs/favicon-32x32.png" sizes="32x32">
</head>
<body>
<header class="bar"><a class="brand" href="${root}">Rupa</a><nav aria-label="Documentation">${menu.join('')}</nav></header>
${body}
</body>
</html>
`;
}
