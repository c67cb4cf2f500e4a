import { describe, expect, it } from '@jest/globals';
import { fastify, type FastifyInstance } from 'fastify';
import { HistoryMissing, StoreUnavailable } from '../../platform/event-sourcing/event-store.js';
import { Failures } from '../envelope.js';
import { AdminCallLog, type AdminRequest, recordAdminCalls } from './record-admin-calls.js';

/** An audit trail that records nothing, for a reason. */
class Failing extends AdminCallLog {
  constructor(private readonly reason: Error) {
    super();
  }

  override begin = (): Promise<void> => Promise.reject(this.reason);
  override end = (): Promise<void> => Promise.reject(this.reason);
  override endLater = (): void => undefined;
}

const MISSING = new HistoryMissing('admin_audit-2026-03-01', undefined, 7n);

describe('an administrator’s call that the audit trail does not record', () => {
  let changed = 0;

  function appWhere(reason: Error): FastifyInstance {
    const app = fastify();
    app.addHook('onRequest', (request: AdminRequest, _reply, done) => {
      request.administrator = { role: 'admin', name: null, fingerprint: 'f' };
      done();
    });
    recordAdminCalls(app, new Failing(reason), new Failures('https://rupa.example'));
    app.get('/read', () => ({ secret: 'a farmer' }));
    app.post('/change', () => (changed += 1));
    return app;
  }

  it.each([
    ['GET', '/read', MISSING, 'history_missing', '60'],
    ['POST', '/change', MISSING, 'history_missing', '60'],
    ['GET', '/read', new StoreUnavailable('late'), 'unavailable', '1'],
    ['POST', '/change', new StoreUnavailable('late'), 'unavailable', '1'],
  ] as const)('is refused, and says why: %s %s, %s', async (method, url, reason, code, seconds) => {
    const { statusCode, headers, body } = await appWhere(reason).inject({ method, url });
    expect([statusCode, headers['retry-after'], changed]).toStrictEqual([503, seconds, 0]);
    expect(JSON.parse(body)).toMatchObject({ success: false, code });
    expect(body).not.toMatch(/secret|admin_audit/);
  });
});
