import { writeFileSync } from 'node:fs';
import { settingsPage } from '../dist/src/settings/settings-page.js';

writeFileSync('docs/settings.md', settingsPage());
