/** What a process can do; one may do all of it. */
export const ROLES = ['api', 'projector', 'webhooks'] as const;
export type Role = (typeof ROLES)[number];
