import { writeFileSync } from 'node:fs';
import { settingsPage } from '../dist/src/settings-table.js';

writeFileSync('docs/settings.md', settingsPage());
