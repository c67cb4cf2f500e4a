import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createHash } from 'node:crypto';
import { canonical, GENESIS, headOf, WalletChain } from './wallet-chain.js';

/** Data with their canonical form, written by hand as RFC 8785 describes it. */
const VECTORS = [
  {
    data: { recorded_at: '2026-03-09T08:00:00.000Z', amount_kobo: 5000 },
    text: '{"amount_kobo":5000,"recorded_at":"2026-03-09T08:00:00.000Z"}',
  },
  {
    data: { recorded_at: '2026-03-09T09:00:00.000Z', breakdown: { b: 2, a: 1 }, reason: 'Ọdún "é"' },
    text: '{"breakdown":{"a":1,"b":2},"reason":"Ọdún \\"é\\"","recorded_at":"2026-03-09T09:00:00.000Z"}',
  },
];

interface Line {
  stream: string;
  revision: number;
  type: string;
  recorded_at: string;
  data: Record<string, unknown>;
  prev_hash: string;
  hash: string;
}

/** Makes the lines of a wallet whose texts are already canonical, so that this spec does not use the code that it tests. */
function wallet(texts: readonly string[]): Line[] {
  let previous = GENESIS;
  return texts.map((text, revision) => {
    const hash = createHash('sha256').update(`${previous}\nwallet-p1\n${revision}\nWalletCredited\n${text}`).digest('hex');
    const data = JSON.parse(text) as Record<string, unknown>;
    const line = {
      stream: 'wallet-p1',
      revision,
      type: 'WalletCredited',
      recorded_at: String(data.recorded_at),
      data,
      prev_hash: previous,
      hash,
    };
    previous = hash;
    return line;
  });
}

async function check(lines: readonly unknown[], noted: readonly string[] = []): Promise<ReturnType<WalletChain['result']>> {
  const chain = new WalletChain('wallet-p1', noted.map(headOf));
  for (const line of lines) await chain.add(typeof line === 'string' ? line : JSON.stringify(line));
  return chain.result();
}

const LINES = wallet([...VECTORS, ...VECTORS, ...VECTORS].map(({ text }) => text));

describe('the chain of a wallet in a browser', () => {
  it('holds for an export, and ends at its head', async () => {
    expect(await check(LINES)).toStrictEqual({ ok: true, entries: 6, head: `5:${LINES[5]?.hash ?? ''}`, fault: undefined });
  });

  it('writes data in their canonical form', () => {
    for (const { data, text } of VECTORS) expect(canonical(data)).toBe(text);
    expect(canonical([null, true, 'a', { é: 1, e: 2 }])).toBe('[null,true,"a",{"e":2,"é":1}]');
  });

  it('contains a head that was noted, at every revision', async () => {
    for (const { revision, hash } of LINES) expect((await check(LINES, [`${revision}:${hash}`])).ok).toBe(true);
  });

  it('finds that a noted head is not in it, also when the chain itself holds', async () => {
    const rewritten = wallet(LINES.map((_, revision) => VECTORS[revision === 2 ? 1 : revision % 2]?.text ?? ''));
    const { fault } = await check(rewritten, [`3:${LINES[3]?.hash ?? ''}`]);
    expect((await check(rewritten)).ok).toBe(true);
    expect(fault).toMatch(/^The head 3:.{64} that was noted is not in the chain: revision 3 has the hash .{64}, so an entry/);
    expect((await check(LINES.slice(0, 3), [`5:${LINES[5]?.hash ?? ''}`])).fault).toContain('the export ends at revision 2');
  });

  it('ends at the first revision with another hash than was noted, and not at the end of the export', async () => {
    const chain = new WalletChain('wallet-p1', [headOf(`1:${GENESIS}`), headOf(`5:${GENESIS}`)]);
    const added: boolean[] = [];
    for (const line of LINES) added.push(await chain.add(JSON.stringify(line)));
    expect([added, chain.count]).toStrictEqual([[true, false, false, false, false, false], 2]);
    expect(chain.result().fault).toContain(`The head 1:${GENESIS} that was noted is not in the chain`);
  });

  it('cannot contain two different heads of one revision', async () => {
    const right = `3:${LINES[3]?.hash ?? ''}`;
    expect((await check(LINES, [right, right])).ok).toBe(true);
    for (const noted of [
      [right, `3:${GENESIS}`],
      [`3:${GENESIS}`, right],
    ])
      expect((await check(LINES, noted)).ok).toBe(false);
  });

  it('passes over an event that an operator skipped, and over no entry', async () => {
    const note = { stream: LINES[0]?.stream, revision: 2, type: 'OperatorNote', data: 'x', prev_hash: LINES[1]?.hash, skipped: true };
    expect(await check([...LINES.slice(0, 2), note] as typeof LINES)).toMatchObject({
      ok: true,
      entries: 3,
      head: `2:${LINES[1]?.hash ?? ''}`,
    });
    const { fault } = await check(LINES.map((line, at) => (at === 1 ? { ...line, skipped: true } : line)));
    expect(fault).toMatch(/^Revision 2 does not fit: the hash before it/);
  });

  it('finds a change of any part of any entry, at that entry', async () => {
    const parts = ['stream', 'revision', 'type', 'recorded_at', 'data', 'prev_hash', 'hash'] as const;
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: LINES.length - 1 }),
        fc.constantFrom(...parts),
        fc.string({ minLength: 1 }),
        async (at, part, more) => {
          const changed = structuredClone(LINES);
          const line = changed[at];
          if (!line) throw new Error('There is no such line.');
          if (part === 'data') line.data.reason = `${String(line.data.reason)}${more}`;
          else if (part === 'revision') line.revision += 1 + more.length;
          else line[part] = `${line[part]}${more}`;
          const { ok, fault } = await check(changed);
          expect([ok, fault]).toStrictEqual([false, expect.stringMatching(new RegExp(`^Revision ${at} does not fit: `))]);
        },
      ),
    );
  });

  it('finds an entry that was removed, repeated or moved', async () => {
    const [first, second, third] = LINES;
    for (const [lines, revision] of [
      [[first, third], 1],
      [[first, first, second], 1],
      [[first, third, second], 1],
      [[second], 0],
    ] as const)
      expect((await check(lines)).fault).toMatch(new RegExp(`^Revision ${revision} does not fit`));
  });

  it('finds a line that was cut off, or is none', async () => {
    const withoutData = JSON.stringify({ ...LINES[0], data: null });
    for (const line of [JSON.stringify(LINES[0]).slice(0, -5), '', 'null', '[]', '{}', withoutData])
      expect((await check([line])).fault).toMatch(/^Revision 0 does not fit: (it is not JSON|a part of it is missing)/);
  });

  it('gives no good verdict about an export without entries', async () => {
    expect(await check([])).toMatchObject({ ok: false, fault: 'The export has no entry, so nothing was verified.' });
  });

  it('refuses a text that is no head', () => {
    for (const text of ['', '5', `x:${GENESIS}`, `1:${GENESIS}0`, `1:${GENESIS.toUpperCase()}A`])
      expect(() => headOf(text)).toThrow('A head is');
    expect(headOf(` 7:${GENESIS}\n`)).toStrictEqual({ revision: 7, hash: GENESIS, origin: 'that was noted' });
  });
});
