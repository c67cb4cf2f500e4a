export { type Settings } from './settings/declaration.js';
export { readSettings, SettingsInvalid } from './settings/read.js';
export { type Role, ROLES } from './settings/roles.js';
