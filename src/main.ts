import { cacheCompiledModules } from './compile-cache.js';
import { refuseOldNode } from './platform/node-version.js';
import { outliveReaders } from './unread-output.js';

refuseOldNode();
cacheCompiledModules();
outliveReaders();
// pg would load a native driver, which this service does not have.
delete process.env.NODE_PG_FORCE_NATIVE;
await import('./app/main.js');
