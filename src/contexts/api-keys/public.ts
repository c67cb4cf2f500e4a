/** The public interface of the api-keys context. */
export { IssueApiKey } from './issue-api-key.command.js';
