/** The version of the package, which the User-Agent states. A test compares it with package.json. */
export const VERSION = '0.1.0';

interface Globals {
  readonly process?: { readonly versions?: Readonly<Record<string, string | undefined>> };
  readonly Deno?: { readonly version: { readonly deno: string } };
  readonly document?: unknown;
  readonly importScripts?: unknown;
}

/** Returns the runtime and its version, such as `node/24.21.0`; undefined where there is none that keeps a key secret. */
export function runtimeOf({ process, Deno }: Globals): string | undefined {
  if (Deno) return `deno/${Deno.version.deno}`;
  if (process?.versions?.bun) return `bun/${process.versions.bun}`;
  return process?.versions?.node ? `node/${process.versions.node}` : undefined;
}

/** @throws Error in a browser, in a page as well as in a worker */
export function refuseBrowsers(globals: Globals = globalThis): void {
  const isBrowser = globals.document !== undefined || typeof globals.importScripts === 'function';
  if (isBrowser && runtimeOf(globals) === undefined)
    throw new Error(
      '@rupa/client does not run in browsers: API keys and signing secrets are secret, and everybody can read what a page contains. ' +
        'Call the service from your server.',
    );
}

export function userAgent(globals: Globals = globalThis): string {
  return `rupa-client-js/${VERSION} (${runtimeOf(globals) ?? 'unknown runtime'})`;
}
