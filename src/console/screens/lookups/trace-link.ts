/** Stands for the id of a trace in `CONSOLE_TRACE_URL`. */
export const TRACE_ID = '{trace_id}';

/** Returns the address of a trace in the tracing system; undefined without a template. @param traceId 32 hexadecimal digits */
export function traceLinkOf(template: string | undefined, traceId: string): string | undefined {
  return template?.replaceAll(TRACE_ID, () => traceId);
}
