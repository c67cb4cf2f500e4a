#!/usr/bin/env node
import { cacheCompiledModules } from './compile-cache.js';
import { refuseOldNode } from './node-version.js';

refuseOldNode();
cacheCompiledModules();
await import('./app/command-line.js');
