/** The public interface of the api-keys context. */
export { IssueApiKeyDto } from './api-keys.dto.js';
export { IssueApiKey } from './issue-api-key.command.js';
