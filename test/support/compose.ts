import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** The fields of docker-compose.yml that the tests read. */
export interface ComposeService {
  readonly build?: string;
  readonly image: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly secrets?: readonly string[];
  readonly profiles?: readonly string[];
  readonly volumes?: readonly string[];
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly [key: string]: unknown;
}

export interface Compose {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
  readonly volumes: object;
}

/** Reads docker-compose.yml with its anchors resolved and each `${NAME:-default}` replaced by its default. */
export function readCompose(): Compose {
  const text = readFileSync('docker-compose.yml', 'utf8').replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1');
  return parse(text, { merge: true }) as Compose;
}

/** A service of this project's own image, which has a role. */
export type OwnService = ComposeService & Required<Pick<ComposeService, 'environment' | 'healthcheck'>>;

/** Returns the services that run this project's own image. */
export function ownServices({ services }: Compose): [string, OwnService][] {
  return Object.entries(services).filter((entry): entry is [string, OwnService] => entry[1].build !== undefined);
}
