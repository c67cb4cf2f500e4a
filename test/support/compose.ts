import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** What the tests read of docker-compose.yml. */
export interface ComposeService {
  readonly build?: string;
  readonly image: string;
  readonly command?: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly secrets?: readonly string[];
  readonly profiles?: readonly string[];
  readonly healthcheck: { readonly test: readonly string[] };
  readonly [key: string]: unknown;
}

export interface Compose {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
  readonly volumes: object;
}

/** With its anchors resolved, and `${NAME:-default}` as where the variable is not set. */
export function readCompose(): Compose {
  const text = readFileSync('docker-compose.yml', 'utf8').replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1');
  return parse(text, { merge: true }) as Compose;
}

/** Those that run the service itself. */
export function ownServices({ services }: Compose): [string, ComposeService][] {
  return Object.entries(services).filter(([, { build }]) => build !== undefined);
}
