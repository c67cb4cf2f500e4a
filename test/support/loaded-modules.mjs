// Preloaded into a process, prints the packages that each of its threads has loaded: as the last two lines of its standard error, those from
// node_modules, and all.
import { registerHooks } from 'node:module';

/** The build bundles most packages, a file each (scripts/bundle.mjs). */
const BUNDLED = /\/packages\/((?:@[^/]+\/)?[^/]+)\.js$/;
const INSTALLED = /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules)/;

const bundled = new Set();
const installed = new Set();
registerHooks({
  load(url, context, next) {
    const [, inBundle] = BUNDLED.exec(url) ?? [];
    const [, name] = INSTALLED.exec(url) ?? [];
    if (inBundle) bundled.add(inBundle);
    else if (name) installed.add(name);
    return next(url, context);
  },
});
const list = (names) => [...names].sort().join(' ');
process.on('exit', () => {
  process.stderr.write(`installed: ${list(installed)}\nloaded: ${list(bundled.union(installed))}\n`);
});
