import { describe, expect, it } from '@jest/globals';
import { demoLog, rupa } from '../../test/support/rupa.js';
import { temporaryDataDir } from '../../test/support/service.js';

describe('npm run demo-log', () => {
  it('fills an empty log, and refuses a log with events and a production environment', async () => {
    const { dataDir, release } = temporaryDataDir();
    try {
      const { code, out } = await demoLog(dataDir, ['--events', '500', '--seed', '3']);
      expect([code, out]).toStrictEqual([0, expect.stringMatching(/^5\d\d events, \d+ farmers, in \d+\.\d s: \d+ events\/s\n$/)]);
      // The command returns when the read models show the new partner, and so all earlier events.
      expect((await rupa(dataDir, ['partners', 'create', 'One More', '--type', 'bank'])).code).toBe(0);
      expect((await rupa(dataDir, ['partners', 'list'])).out).toMatch(/Demo Bank 1 .*live.*active/);
      expect(await demoLog(dataDir, ['--events', '500'])).toMatchObject({
        code: 1,
        out: '',
        err: expect.stringContaining('Fill an empty one'),
      });
      const production = {
        NODE_ENV: 'production',
        EVENT_STORE_URL: 'esdb://127.0.0.1:1',
        DATABASE_URL: 'postgres://127.0.0.1:1/none',
        MASTER_KEY: `k1:${'A'.repeat(43)}=`,
        ADMIN_TOKEN: 'a'.repeat(24),
        AUDITOR_TOKEN: 'b'.repeat(24),
      };
      expect(await demoLog(dataDir, ['--events', '500'], production)).toMatchObject({
        code: 1,
        err: expect.stringMatching(/^A generated history does not belong in production/),
      });
    } finally {
      await release();
    }
  });
});
