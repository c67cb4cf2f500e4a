import { cacheCompiledModules } from './compile-cache.js';
import { refuseOldNode } from './node-version.js';

refuseOldNode();
cacheCompiledModules();
await import('./app/main.js');
