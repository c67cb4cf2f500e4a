import { type ComponentChildren, type VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { FILLED_IN } from './components/form.js';
import { type ServiceNotices, ServiceNoticesPart } from './components/service-notices.js';
import { Notice, type Tone } from './components/text.js';
import { type Area, nameOf, type Person, type Screen } from './screen.js';

/** Everything that a page loads comes from this service; scripts and styles in the page itself do not run. */
export const CONSOLE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; worker-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/** Responds with what every page says about the service, as /health does: without a session, so that it keeps none alive. */
export const NOTICES_PATH = '/console/notices';

const AREAS: readonly (readonly [area: Area, path: string, name: string])[] = [
  ['overview', '/console', 'Overview'],
  ['partners', '/console/partners', 'Partners'],
  ['lookups', '/console/lookups', 'Lookups'],
  ['farmers', '/console/farmers', 'Farmers'],
  ['webhooks', '/console/webhooks', 'Webhooks'],
  ['prices', '/console/prices', 'Prices'],
  ['books', '/console/books', 'Books'],
  ['verify', '/console/verify', 'Verify'],
  ['read-models', '/console/read-models', 'Read models'],
  ['log', '/console/log', 'Log'],
  ['administration', '/console/administration', 'Administration'],
];

/** What the previous act said, shown once. */
export interface Said {
  readonly tone: Tone;
  readonly text: ComponentChildren;
}

interface PageDetails {
  readonly said?: Said | undefined;
  /** Text of the search field. */
  readonly search?: string;
  /** Undefined before sign-in. */
  readonly notices?: ServiceNotices | undefined;
  /** Whether a form of the page has what was typed into it before. */
  readonly isFilledIn?: boolean;
}

/** Returns the HTML document of a screen. @param person undefined before sign-in */
export function pageOf(
  screen: Screen,
  person: Person | undefined,
  { said, search = '', notices, isFilledIn = false }: PageDetails = {},
): string {
  const page = { screen, person, said, search, notices, isFilledIn };
  return `<!doctype html>${renderToString(<Page {...page} />)}`;
}

/** Returns the HTML of a part of a page. */
export function partOf(part: VNode): string {
  return renderToString(part);
}

interface PageProps {
  readonly screen: Screen;
  readonly person: Person | undefined;
  readonly said: Said | undefined;
  readonly search: string;
  readonly notices: ServiceNotices | undefined;
  readonly isFilledIn: boolean;
}

function Page({ screen: { title, area, body, modules = [] }, person, said, search, notices, isFilledIn }: PageProps): VNode {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>{`${title} – Rupa console`}</title>
        <link rel="stylesheet" href="/console/assets/console.css" />
        <link rel="stylesheet" href="/console/assets/uplot.css" />
        <link rel="icon" type="image/png" href="/docs/favicon-32x32.png" sizes="32x32" />
        {['every-page', ...modules].map((name) => (
          <script type="module" src={`/console/assets/${name}.js`} />
        ))}
      </head>
      <body>
        <a class="skip" href="#main">
          Skip to the page
        </a>
        {person === undefined ? null : <Header person={person} area={area} search={search} />}
        <main id="main" tabIndex={-1}>
          {notices === undefined ? null : (
            <div data-notices={NOTICES_PATH} data-at={new Date().toISOString()}>
              <ServiceNoticesPart {...notices} />
            </div>
          )}
          {said === undefined ? null : <Notice tone={said.tone}>{said.text}</Notice>}
          {isFilledIn ? (
            <p class="pages">
              <a href={`#${FILLED_IN}`}>Go to the form with what you typed</a>
            </p>
          ) : null}
          <h1>{title}</h1>
          {body}
        </main>
      </body>
    </html>
  );
}

function Header({ person, area, search }: { readonly person: Person; readonly area: Area | null; readonly search: string }): VNode {
  return (
    <header class="bar">
      <a class="brand" href="/console">
        Rupa
      </a>
      <form method="get" action="/console/search" role="search" class="search">
        <input
          type="search"
          name="q"
          value={search}
          aria-label="Search partners, farmers’ ids, lookup ids and request ids"
          placeholder="Search (Ctrl K)"
          data-search
        />
      </form>
      <form method="post" action="/console/sign-out" class="person">
        <input type="hidden" name="_csrf" value={person.csrf} />
        <span title={`Signed in as ${person.role}, ${person.fingerprint}`}>{nameOf(person)}</span>
        <button class="quiet">Sign out</button>
      </form>
      <nav aria-label="Console">
        {AREAS.map(([each, path, name]) => (
          <a href={path} aria-current={each === area ? 'page' : undefined}>
            {name}
          </a>
        ))}
      </nav>
    </header>
  );
}
