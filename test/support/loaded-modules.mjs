// Preloaded into a process, prints the packages that it has loaded, as the last line of its standard error.
import { registerHooks } from 'node:module';

/** The build bundles most packages, a file each (scripts/bundle.mjs). */
const BUNDLED = /\/packages\/((?:@[^/]+\/)?[^/]+)\.js$/;
const INSTALLED = /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules)/;

const packages = new Set();
registerHooks({
  load(url, context, next) {
    const [, name] = BUNDLED.exec(url) ?? INSTALLED.exec(url) ?? [];
    if (name) packages.add(name);
    return next(url, context);
  },
});
process.on('exit', () => {
  process.stderr.write(`loaded: ${[...packages].sort().join(' ')}\n`);
});
