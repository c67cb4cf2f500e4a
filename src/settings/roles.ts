/** The parts of the service that a process can run. By default it runs all of them. */
export const ROLES = ['api', 'projector', 'webhooks', 'console'] as const;
export type Role = (typeof ROLES)[number];
