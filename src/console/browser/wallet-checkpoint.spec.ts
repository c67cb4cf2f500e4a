import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { createHash } from 'node:crypto';
import { treeOf } from '../../../test/support/unit/tree.js';
import { logLeaf } from '../../contexts/evidence/domain/log-leaf.js';
import { leafHash } from '../../contexts/evidence/domain/merkle.js';
import { NoteSigner } from '../../contexts/evidence/domain/signed-note.js';
import { treeHeadText } from '../../contexts/evidence/domain/tree-head.js';
import { CheckpointFault, type CheckpointPart, noteIn, openCheckpoint, provenEntry, rootFrom } from './wallet-checkpoint.js';

const ORIGIN = 'rupa.example/log';
const signer = new NoteSigner(ORIGIN, Buffer.alloc(32, 1));
const next = new NoteSigner(ORIGIN, Buffer.alloc(32, 2));
const elsewhere = new NoteSigner('other.example/log', Buffer.alloc(32, 3));

/** Events of a log in which each wallet has one entry. */
const EVENTS = Array.from({ length: 7 }, (_, at) => {
  const hash = createHash('sha256').update(`entry of ${at}`).digest('hex');
  const [data, metadata] = [`{"amount_kobo":${at}}`, `{"schema_version":1,"hash":"${hash}"}`];
  const id = `5c7e1b9a-0d6e-4a57-9e6b-00000000000${at}`;
  const event = { stream: `wallet-partner-${at}`, revision: BigInt(10 * at), type: 'WalletCredited', id };
  return { hash, data, metadata, leaf: logLeaf({ ...event, data: Buffer.from(data), metadata: Buffer.from(metadata) }) };
});
const ENTRIES = EVENTS.map(({ hash }, at) => ({ partner_id: `partner-${at}`, revision: 10 * at, hash }));

interface Checkpoint {
  readonly text: string;
  readonly note: string;
  readonly proofOf: (at: number) => object;
}

/** Makes a checkpoint of the first events with the service's own code. */
function checkpointOf(size: number): Checkpoint {
  const tree = treeOf(EVENTS.slice(0, size).map(({ leaf }) => leafHash(leaf)));
  const text = treeHeadText({ origin: ORIGIN, tree_size: size, root: tree.root.toString('base64') });
  const proofOf = (at: number): object => {
    const { hash, data, metadata, leaf } = EVENTS[at] as (typeof EVENTS)[number];
    const hashes = tree.path(at).map((each) => each.toString('base64'));
    return { entry: { revision: 10 * at, hash }, index: at, leaf, data, metadata, tree_size: size, hashes };
  };
  return { text, note: signer.sign(text), proofOf };
}

const { text, note, proofOf } = checkpointOf(7);
const eventAt = (at: number) => EVENTS[at] as (typeof EVENTS)[number];
/** Any printable character of ASCII. */
const PRINTABLE = fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code));

async function check(pasted: string, proof: object | string, partner?: string, keys = signer.verifierKey): Promise<unknown> {
  return await provenEntry(await openCheckpoint(pasted, keys), typeof proof === 'string' ? proof : JSON.stringify(proof), partner);
}

async function partThatFails(work: Promise<unknown>): Promise<CheckpointPart | 'none'> {
  try {
    await work;
    return 'none';
  } catch (error) {
    if (error instanceof CheckpointFault) return error.part;
    throw error;
  }
}

describe('a checkpoint in a browser', () => {
  it('proves the entry of each wallet, in trees of every shape', async () => {
    for (const size of [1, 2, 3, 4, 5, 6, 7]) {
      const checkpoint = checkpointOf(size);
      for (let at = 0; at < size; at += 1)
        expect(await check(checkpoint.note, checkpoint.proofOf(at), `partner-${at}`)).toStrictEqual(ENTRIES[at]);
    }
  });

  it('is read from the response with and without its envelope, and may come with the note', async () => {
    const data = proofOf(3);
    expect(await check(note, { success: true, data })).toStrictEqual(ENTRIES[3]);
    expect(await check(note, JSON.stringify(data))).toStrictEqual(ENTRIES[3]);
    expect(noteIn(JSON.stringify({ data: { ...data, note } }))).toBe(note);
    expect(() => noteIn(JSON.stringify(data))).toThrow('The proof has no note.');
  });

  it('states its origin, its size and its signers', async () => {
    expect(await openCheckpoint(note, `${next.verifierKey}\n${signer.verifierKey}\n`)).toMatchObject({
      origin: ORIGIN,
      tree_size: 7,
      signers: [signer.verifierKey],
      repairs: [],
    });
  });

  it('is accepted with further signatures, also of unknown keys', async () => {
    const witness = elsewhere.sign(text).slice(text.length + 1);
    expect((await openCheckpoint(`${note}${witness}`, signer.verifierKey)).signers).toStrictEqual([signer.verifierKey]);
    expect((await openCheckpoint(`${text}\n${witness}${note.slice(text.length + 1)}`, signer.verifierKey)).tree_size).toBe(7);
    const both = `${note}${next.sign(text).slice(text.length + 1)}`;
    expect((await openCheckpoint(both, `${signer.verifierKey}\n${next.verifierKey}`)).signers).toHaveLength(2);
  });

  it('is read as a mail program leaves it, and says so', async () => {
    expect((await openCheckpoint(note.replaceAll('\n', '\r\n'), signer.verifierKey)).repairs).toStrictEqual([
      expect.stringContaining('line ends of Windows'),
    ]);
    expect((await openCheckpoint(note.replaceAll('\n', '  \n'), signer.verifierKey)).repairs).toStrictEqual([
      expect.stringContaining('spaces at the end of lines'),
    ]);
    expect((await openCheckpoint(`\n\n${note.trimEnd()}`, signer.verifierKey)).repairs).toStrictEqual([]);
  });

  it.each<[what: string, part: CheckpointPart, work: () => Promise<unknown>]>([
    ['no key', 'key', () => openCheckpoint(note, '')],
    ['another key', 'key', () => openCheckpoint(note, next.verifierKey)],
    ['a text that is no key', 'key', () => openCheckpoint(note, 'rupa.example')],
    ['a key with a changed name', 'key', () => openCheckpoint(note, signer.verifierKey.replace('rupa', 'ropa'))],
    ['a changed root', 'signature', () => openCheckpoint(note.replace(/\n[^\n]{43}=\n/, `\n${'A'.repeat(43)}=\n`), signer.verifierKey)],
    ['another size', 'signature', () => openCheckpoint(note.replace('\n7\n', '\n8\n'), signer.verifierKey)],
    ['a line more', 'note', () => openCheckpoint(signer.sign(`${text}number 12\n`), signer.verifierKey)],
    ['a wrapped signature', 'note', () => openCheckpoint(note.replace(/(.{30})\n$/, '\n$1\n'), signer.verifierKey)],
    ['a hyphen before the signer', 'note', () => openCheckpoint(note.replace('—', '-'), signer.verifierKey)],
    ['the text alone', 'note', () => openCheckpoint(text, signer.verifierKey)],
    ['another text that the key has signed', 'note', () => openCheckpoint(signer.sign('hello\n'), signer.verifierKey)],
    ['the key of another log', 'origin', () => openCheckpoint(elsewhere.sign(text), elsewhere.verifierKey)],
    ['the proof of another tree', 'proof', () => check(note, checkpointOf(6).proofOf(3))],
    ['a proof without a hash', 'proof', () => check(note, { ...proofOf(3), hashes: [] })],
    ['a proof that was cut off', 'proof', () => check(note, JSON.stringify(proofOf(3)).slice(0, -5))],
    ['no object as the proof', 'proof', () => check(note, 'null')],
    ['no entry', 'proof', () => check(note, { ...proofOf(3), entry: null })],
    ['the proof of another wallet', 'leaf', () => check(note, proofOf(3), 'partner-4')],
    ['an event that is no entry', 'leaf', () => check(note, { ...proofOf(3), leaf: eventAt(3).leaf.replace('wallet-', 'farmer-') })],
    ['another revision of the entry', 'leaf', () => check(note, { ...proofOf(3), entry: { ...ENTRIES[3], revision: 31 } })],
    ['another hash of the entry', 'leaf', () => check(note, { ...proofOf(3), entry: { revision: 30, hash: '0'.repeat(64) } })],
    ['other data', 'leaf', () => check(note, { ...proofOf(3), data: '{"amount_kobo":4}' })],
    ['other metadata', 'leaf', () => check(note, { ...proofOf(3), metadata: eventAt(4).metadata })],
    ['the leaf of another event', 'root', () => check(note, { ...proofOf(3), leaf: eventAt(3).leaf.replace('Credited', 'Debited') })],
    ['the path of another leaf', 'root', () => check(note, { ...proofOf(3), index: 2 })],
  ])('names the part that fails for %s: %s', async (_what, part, work) => {
    expect(await partThatFails(work())).toBe(part);
  });

  it('is refused if one of two known keys has not signed it, though the other one has', async () => {
    const forged = next.sign(text.replace('\n7\n', '\n8\n')).slice(text.length + 1);
    expect(await partThatFails(openCheckpoint(`${note}${forged}`, `${signer.verifierKey}\n${next.verifierKey}`))).toBe('signature');
  });

  it('says that the browser is too old if it has no Ed25519', async () => {
    const old = jest.spyOn(crypto.subtle, 'importKey').mockRejectedValue(new DOMException('Unrecognized name.', 'NotSupportedError'));
    expect(await partThatFails(openCheckpoint(note, signer.verifierKey))).toBe('browser');
    old.mockRestore();
  });

  it('is refused with any changed character of the note', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: note.length - 2 }), PRINTABLE, async (at, character) => {
        fc.pre(note[at] !== character && !(character === ' ' && note[at] === '\n'));
        expect(await partThatFails(openCheckpoint(`${note.slice(0, at)}${character}${note.slice(at + 1)}`, signer.verifierKey))).not.toBe(
          'none',
        );
      }),
      { numRuns: 500 },
    );
  });

  it('is refused with any changed character of the proof', async () => {
    const proof = JSON.stringify(proofOf(5));
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: proof.length - 1 }), PRINTABLE, async (at, character) => {
        fc.pre(proof[at] !== character);
        expect(await partThatFails(check(note, `${proof.slice(0, at)}${character}${proof.slice(at + 1)}`, 'partner-5'))).not.toBe('none');
      }),
      { numRuns: 500 },
    );
  });
});

describe('an audit path in a browser', () => {
  const bytes = (hex: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(hex, 'hex'));

  /** Published vectors of https://github.com/transparency-dev/merkle, proof/verify_test.go. The RFC itself has none. */
  it.each([
    [0, 1, '', '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d', []],
    [
      5,
      8,
      '40414243',
      '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
      [
        'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
        'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
        'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
      ],
    ],
    [
      2,
      3,
      '10',
      'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
      ['fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125'],
    ],
    [
      1,
      5,
      '00',
      '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
      [
        '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
        '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
        'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
      ],
    ],
  ])('leads from leaf %d of %d to the published root', async (index, size, leaf, root, path) => {
    const found = await rootFrom(bytes(leaf), index, size, path.map(bytes));
    expect(Buffer.from(found ?? []).toString('hex')).toBe(root);
  });

  it('leads nowhere from a leaf beyond the tree, or with a hash too many', async () => {
    const sibling = bytes('aa'.repeat(32));
    expect(await rootFrom(bytes('00'), 8, 8, [sibling, sibling, sibling])).toBeUndefined();
    expect(await rootFrom(bytes('00'), 0, 1, [sibling])).toBeUndefined();
    expect(await rootFrom(bytes('00'), 0, 0, [])).toBeUndefined();
  });
});

describe('a signed note in a browser', () => {
  /** The published example of golang.org/x/mod/sumdb/note has a text that is no checkpoint, so its key signs nothing here. */
  it('has a verifier key of the published form', async () => {
    const published = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW';
    expect((await openCheckpoint(note, `${published}\n${signer.verifierKey}`)).signers).toStrictEqual([signer.verifierKey]);
    for (const [at, malformed] of [
      published.replace('c74f20a3', 'c74f20a4'),
      'PeterNeumann+cc469956+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TWBADKEY==',
      'PeterNeumann+173116ae+ZRpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW',
    ].entries())
      expect([at, await partThatFails(openCheckpoint(note, malformed))]).toStrictEqual([at, 'key']);
  });
});
