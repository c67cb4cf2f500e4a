/** What other contexts may use of API keys. */
export { IssueApiKey } from './issue-api-key.command.js';
