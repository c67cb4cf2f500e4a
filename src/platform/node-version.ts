/** Major version of the package `node` in package.json. */
export const NODE_MAJOR = 24;

export function isOldNode(version: string): boolean {
  return Number(version.split('.')[0]) < NODE_MAJOR;
}

/** Returns the message of an entry point that runs on a Node that is too old, or undefined if the version is supported. */
export function unsupportedNodeMessage(version: string, entry: string): string | undefined {
  if (!isOldNode(version)) return undefined;
  return `This is Node ${version}; the service runs on Node ${NODE_MAJOR} or newer. npm ci installs one: use npm start and npx rupa, or start it by hand with npx node ${entry}`;
}

/**
 * Exits with a message if Node is too old. The entry points call this before they import anything else, because an older Node would fail
 * on a missing module or class, and that error would not tell the operator what to do.
 */
export function refuseOldNode(): void {
  const refusal = unsupportedNodeMessage(process.versions.node, process.argv[1] ?? 'dist/src/main.js');
  if (refusal === undefined) return;
  process.stderr.write(`${refusal}\n`);
  process.exit(1);
}
