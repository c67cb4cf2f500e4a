import { describe, expect, it } from '@jest/globals';
import { headOf, leafOf, parseTreeHead, treeHeadText } from './tree-head.js';

const head = { mode: 'live' as const, partner_id: '0f9a3c1e-52a4-4f6e-8d0e-2f0f7c3b9a11', revision: 17, hash: 'c0'.repeat(32) };
const treeHead = {
  origin: 'rupa.example/wallets',
  tree_size: 3,
  root: 'CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=',
  number: 12,
  made_at: '2026-11-21T00:00:05.000Z',
};

describe('a leaf', () => {
  it('is mode, partner id, revision and hash, joined by line feeds', () => {
    expect(leafOf(head)).toBe(`live\n0f9a3c1e-52a4-4f6e-8d0e-2f0f7c3b9a11\n17\n${'c0'.repeat(32)}`);
    expect(headOf(leafOf(head))).toStrictEqual(head);
  });
});

describe('the text of a checkpoint', () => {
  const text = treeHeadText(treeHead);

  it('is origin, tree size and root, then the extension lines', () => {
    expect(text).toBe(
      'rupa.example/wallets\n3\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\nnumber 12\nmade_at 2026-11-21T00:00:05.000Z\n',
    );
    expect(parseTreeHead(text)).toStrictEqual(treeHead);
    expect(parseTreeHead(treeHeadText({ ...treeHead, tree_size: 0 }))).toStrictEqual({ ...treeHead, tree_size: 0 });
  });

  it.each([
    ['a tree size with a leading zero', text.replace('\n3\n', '\n03\n')],
    ['a negative tree size', text.replace('\n3\n', '\n-3\n')],
    ['a root of another length', text.replace('CsUY', 'CsU')],
    ['no number', text.replace('number 12\n', '')],
    ['another line', `${text}more\n`],
    ['no origin', text.replace('rupa.example/wallets', '')],
    ['no line feed at the end', text.slice(0, -1)],
  ])('is not parsed with %s', (_case, changed) => {
    expect(parseTreeHead(changed)).toBeUndefined();
  });
});
