/** Numbers of the session-level advisory locks in PostgreSQL. They are listed in one place so that none is used twice. */
export const LOCKS = {
  migrations: 7_205_001,
  projector: 7_205_002,
  webhookSubscriber: 7_205_003,
  rebuild: 7_205_004,
  eraser: 7_205_005,
  keyRotation: 7_205_006,
} as const;
