// Preloaded into a process, prints the packages that it has loaded, as the last line of its standard error.
import { registerHooks } from 'node:module';

const packages = new Set();
registerHooks({
  load(url, context, next) {
    const [, name] = /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules)/.exec(url) ?? [];
    if (name) packages.add(name);
    return next(url, context);
  },
});
process.on('exit', () => {
  process.stderr.write(`loaded: ${[...packages].sort().join(' ')}\n`);
});
