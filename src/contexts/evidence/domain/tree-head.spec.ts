import { describe, expect, it } from '@jest/globals';
import { parseTreeHead, treeHeadText } from './tree-head.js';

const treeHead = { origin: 'rupa.example/log', tree_size: 3, root: 'CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=' };

describe('the text of a checkpoint', () => {
  const text = treeHeadText(treeHead);

  it('is origin, tree size and root', () => {
    expect(text).toBe('rupa.example/log\n3\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n');
    expect(parseTreeHead(text)).toStrictEqual(treeHead);
    expect(parseTreeHead(treeHeadText({ ...treeHead, tree_size: 0 }))).toStrictEqual({ ...treeHead, tree_size: 0 });
  });

  it.each([
    ['a tree size with a leading zero', text.replace('\n3\n', '\n03\n')],
    ['a negative tree size', text.replace('\n3\n', '\n-3\n')],
    ['a root of another length', text.replace('CsUY', 'CsU')],
    ['another line', `${text}number 12\n`],
    ['no origin', text.replace('rupa.example/log', '')],
    ['no line feed at the end', text.slice(0, -1)],
  ])('is not parsed with %s', (_case, changed) => {
    expect(parseTreeHead(changed)).toBeUndefined();
  });
});
