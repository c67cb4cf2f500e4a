/** The public interface of the contributions context. */
export { ReportActivity } from './report-activity.command.js';
export { ReportEvents } from './report-events.js';
export { subjectOf } from './domain/events.js';
export { ReportDto } from './report.dto.js';
