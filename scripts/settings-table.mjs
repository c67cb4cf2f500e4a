import { writeFileSync } from 'node:fs';
import { settingsPage } from '../dist/src/app/settings-table.js';

writeFileSync('docs/settings.md', settingsPage());
