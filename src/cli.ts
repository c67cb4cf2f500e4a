#!/usr/bin/env node
import { refuseOldNode } from './node-version.js';

refuseOldNode();
await import('./app/command-line.js');
