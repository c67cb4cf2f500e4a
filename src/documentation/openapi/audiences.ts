import { type Document, operationsOf, type Paths } from './parts.js';

/** The readers of a part of the document. Calls that need no key belong to partners, except those for operators. */
export type Audience = 'partner' | 'admin';

const OF_ADMINISTRATORS = /^\/(admin|health)(\/|$)/;
const TITLE_OF_ADMINISTRATORS = 'Rupa administration';
const PURPOSE_OF_ADMINISTRATORS =
  'Administrators manage partners, API keys, wallets, farmers and prices; auditors read what they did. Each has a token of their own. Operators ask for the health of the service, without a token.';
const REFERENCE = /"\$ref":"#\/components\/(\w+)\/([^"]+)"/g;

/** Returns the document of one audience: its operations, and the components and tags that these use. Each operation is in one document. */
export function documentFor(audience: Audience, document: Document): Document {
  const { paths, webhooks, tags, components, info, ...rest } = document;
  const isTheirs = ([path]: [string, unknown]): boolean => OF_ADMINISTRATORS.test(path) === (audience === 'admin');
  const parts: { paths: Paths; webhooks?: Paths } = { paths: Object.fromEntries(Object.entries(paths).filter(isTheirs)) };
  if (audience === 'partner' && webhooks) parts.webhooks = webhooks;
  const operations = Object.values(parts).flatMap(operationsOf);
  const used = new Set(operations.flatMap(({ operation }) => operation.tags ?? []));
  const schemes = new Set(operations.flatMap(({ operation }) => (operation.security ?? []).flatMap(Object.keys)));
  const reachable = componentsOf(parts, components);
  for (const scheme of schemes) reachable.add(`securitySchemes/${scheme}`);
  return {
    ...rest,
    info: audience === 'admin' ? forAdministrators(info) : info,
    tags: tags.filter(({ name }) => used.has(name)),
    ...parts,
    components: Object.fromEntries(
      Object.entries(components).map(([kind, named]) => [
        kind,
        Object.fromEntries(Object.entries(named).filter(([name]) => reachable.has(`${kind}/${name}`))),
      ]),
    ) as Document['components'],
  };
}

/** Replaces the title and the first paragraph, which are about partners' calls. */
function forAdministrators(info: Document['info']): Document['info'] {
  return { ...info, title: TITLE_OF_ADMINISTRATORS, description: info.description.replace(/^.+/, PURPOSE_OF_ADMINISTRATORS) };
}

/** Returns the components that a part refers to, directly or through other components, each as `kind/name`. */
function componentsOf(part: unknown, components: Document['components'], found = new Set<string>()): Set<string> {
  for (const [, kind = '', name = ''] of JSON.stringify(part).matchAll(REFERENCE)) {
    if (found.has(`${kind}/${name}`)) continue;
    found.add(`${kind}/${name}`);
    componentsOf(components[kind as keyof Document['components']][name], components, found);
  }
  return found;
}
