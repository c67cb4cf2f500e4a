import { cacheCompiledModules } from './compile-cache.js';
import { refuseOldNode } from './node-version.js';
import { outliveReaders } from './unread-output.js';

refuseOldNode();
cacheCompiledModules();
outliveReaders();
await import('./app/main.js');
