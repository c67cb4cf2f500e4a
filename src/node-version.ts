const NEEDED_MAJOR = 24;

/**
 * Ends the process with a sentence where Node is too old. The entry points call this before they import anything else: an older Node
 * would fail on a missing module or class, which tells nobody what to do.
 */
export function refuseOldNode(): void {
  const major = Number(process.versions.node.split('.')[0]);
  if (major >= NEEDED_MAJOR) return;
  process.stderr.write(
    `This is Node ${process.versions.node}; the service runs on Node ${NEEDED_MAJOR} or newer. npm ci installs one: use npm start and npx rupa, or start it by hand with npx node ${process.argv[1] ?? 'dist/src/main.js'}\n`,
  );
  process.exit(1);
}
