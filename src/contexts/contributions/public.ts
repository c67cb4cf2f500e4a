/** What other contexts may use of contributions. */
export { ReportActivity } from './report-activity.command.js';
