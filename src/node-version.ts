/** The major version of the package `node`, which package.json names. */
export const NODE_MAJOR = 24;

export function isOldNode(version: string): boolean {
  return Number(version.split('.')[0]) < NODE_MAJOR;
}

/** What an entry point says when the Node that runs it is too old; undefined where it is not. */
export function unsupportedNodeMessage(version: string, entry: string): string | undefined {
  if (!isOldNode(version)) return undefined;
  return `This is Node ${version}; the service runs on Node ${NODE_MAJOR} or newer. npm ci installs one: use npm start and npx rupa, or start it by hand with npx node ${entry}`;
}

/**
 * Ends the process with a sentence where Node is too old. The entry points call this before they import anything else: an older Node
 * would fail on a missing module or class, which tells nobody what to do.
 */
export function refuseOldNode(): void {
  const refusal = unsupportedNodeMessage(process.versions.node, process.argv[1] ?? 'dist/src/main.js');
  if (refusal === undefined) return;
  process.stderr.write(`${refusal}\n`);
  process.exit(1);
}
