import { refuseOldNode } from './node-version.js';

refuseOldNode();
await import('./app/main.js');
