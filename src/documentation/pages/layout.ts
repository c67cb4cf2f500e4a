import { escapeHtml } from '../../http/pages/page.js';

/** A page runs the script of this service, and loads only it, the style sheet and the icon. Its one form is the search. */
export const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/** Adds a button that copies each listing. Without a secure connection, browsers give scripts no access to the clipboard. */
export const PAGE_SCRIPT = `for (const listing of navigator.clipboard ? document.querySelectorAll('.code') : []) {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Copy';
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(listing.querySelector('code').textContent.trimEnd());
    button.textContent = 'Copied';
    setTimeout(() => { button.textContent = 'Copy'; }, 2000);
  });
  listing.append(button);
}
`;

export interface Page {
  readonly title: string;
  /** Relative path of the first page. All links are relative, so that they also work behind a proxy that adds a prefix. */
  readonly root: string;
  /** Path below the root of the entry of the menu that is shown. */
  readonly current: string;
  /** HTML that the page adds to its head. */
  readonly head?: string;
  /** Text in the field of the search. */
  readonly query?: string;
  /** HTML between the menu and the end of the page. */
  readonly body: string;
}

const MENU: readonly (readonly [path: string, name: string])[] = [
  ['docs/guides/getting-started', 'Guides'],
  ['docs', 'Reference'],
  ['docs/admin', 'Admin'],
];

/** Returns the HTML document of a page: the first page, a guide or a reference. */
export function page({ title, root, current, head = '', query = '', body }: Page): string {
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
<script src="${root}docs/page.js" defer></script>
<link rel="icon" type="image/png" href="${root}docs/favicon-32x32.png" sizes="32x32">
</head>
<body>
<header class="bar"><a class="brand" href="${root}">Rupa</a><nav aria-label="Documentation">${menu.join('')}</nav>
<form class="search" role="search" action="${root}docs/search"><input type="search" name="q" maxlength="100" required placeholder="Search the guides" aria-label="Search the guides" value="${escapeHtml(query)}"></form></header>
${body}
</body>
</html>
`;
}
