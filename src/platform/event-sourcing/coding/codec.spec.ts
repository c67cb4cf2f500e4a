import { describe, expect, it } from '@jest/globals';
import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { DataKeyDestroyed, DataKeyMissing, type DataKeys, type DataKey } from '../../key-store/data-keys.js';
import { encrypt, decrypt } from '../../key-store/encryption.js';
import { Codec } from './codec.js';
import { type NewEvent, type StoredEvent } from '../recorded-event.js';

class KeysInMemory implements Pick<DataKeys, 'create' | 'load' | 'destroy'> {
  private readonly keys = new Map<string, KeyObject | 'destroyed'>();

  create(rupaId: string): Promise<void> {
    if (!this.keys.has(rupaId)) this.keys.set(rupaId, createSecretKey(randomBytes(32)));
    return Promise.resolve();
  }

  destroy(rupaIds: readonly string[]): Promise<void> {
    for (const rupaId of rupaIds) this.keys.set(rupaId, 'destroyed');
    return Promise.resolve();
  }

  load(rupaIds: readonly string[], onUnusable?: (rupaId: string, error: Error) => void): Promise<Map<string, DataKey>> {
    const unknown = rupaIds.filter((rupaId) => !this.keys.has(rupaId));
    if (onUnusable) for (const rupaId of unknown) onUnusable(rupaId, new DataKeyMissing(rupaId));
    const wanted = onUnusable ? rupaIds.filter((rupaId) => this.keys.has(rupaId)) : rupaIds;
    return Promise.resolve(new Map(wanted.map((rupaId) => [rupaId, this.dataKey(rupaId)])));
  }

  private dataKey(rupaId: string): DataKey {
    const key = this.keys.get(rupaId);
    if (key === undefined) throw new DataKeyMissing(rupaId);
    return {
      encrypt: (text, binding) => {
        if (key === 'destroyed') throw new DataKeyDestroyed(rupaId);
        return encrypt(key, text, binding);
      },
      decrypt: (encrypted, binding) => (key === 'destroyed' ? undefined : decrypt(key, encrypted, binding).toString('utf8')),
    };
  }
}

const metadata = { $correlationId: 'c', $causationId: 'c', schema_version: 1 };
const registered: NewEvent = { id: 'e0', type: 'Registered', data: { rupa_id: 'rp-1' }, metadata };
const updated: NewEvent = { id: 'e1', type: 'Updated', data: { rupa_id: 'rp-1', content: { name: 'Aisha' }, part: 'identity' }, metadata };

function setUp() {
  const keys = new KeysInMemory();
  const codec = new Codec(
    {
      Registered: { createsDataKey: true },
      Updated: { personal: ['content'] },
      Erased: { destroysDataKey: true },
      Shortened: {
        version: 2,
        storedForm: {
          since: 2,
          compact: ({ greeting, ...rest }, stream) => ({ ...rest, g: `${stream} ${String(greeting).length}` }),
          expand: ({ g, ...rest }) => ({ ...rest, greeting: 'x'.repeat(Number(String(g).split(' ')[1])) }),
        },
      },
      Renamed: {
        version: 3,
        upcasters: [({ name, ...rest }) => ({ ...rest, title: name }), ({ title, ...rest }) => ({ ...rest, titles: [title] })],
      },
    },
    keys as unknown as DataKeys,
  );
  return { keys, codec };
}

function stored(event: NewEvent, stream = 'farmer-rp-1'): StoredEvent {
  return { ...event, stream, revision: 0n, position: 1n };
}

describe('the codec', () => {
  it('encrypts personal fields and decrypts them again', async () => {
    const { codec } = setUp();
    const encrypted = await codec.encode('farmer-rp-1', [registered, updated]);
    expect(JSON.stringify(encrypted)).not.toContain('Aisha');
    expect(encrypted[1]?.data).toMatchObject({ rupa_id: 'rp-1', part: 'identity' });
    const decoded = await codec.decode(encrypted.map((event) => stored(event)));
    expect(decoded.map(({ data }) => data)).toStrictEqual([registered.data, updated.data]);
  });

  it('does not decrypt a field that was copied to another stream or event', async () => {
    const { codec } = setUp();
    const [, encrypted] = await codec.encode('farmer-rp-1', [registered, updated]);
    if (!encrypted) throw new Error('nothing was encrypted');
    await expect(codec.decode([stored(encrypted, 'farmer-rp-2')])).rejects.toThrow();
    await expect(codec.decode([stored({ ...encrypted, id: 'e9' })])).rejects.toThrow();
  });

  it('decodes personal fields of an erased farmer as null', async () => {
    const { codec, keys } = setUp();
    const encrypted = await codec.encode('farmer-rp-1', [registered, updated]);
    await keys.destroy(['rp-1']);
    const decoded = await codec.decode(encrypted.map((event) => stored(event)));
    expect(decoded[1]?.data).toStrictEqual({ rupa_id: 'rp-1', content: null, part: 'identity' });
    await expect(codec.encode('farmer-rp-1', [updated])).rejects.toThrow(DataKeyDestroyed);
  });

  it('destroys the data key of an erasure before it decrypts other events of the batch', async () => {
    const { codec } = setUp();
    const encrypted = await codec.encode('farmer-rp-1', [registered, updated]);
    const erased: NewEvent = { id: 'e2', type: 'Erased', data: { rupa_id: 'rp-1' }, metadata };
    const decoded = await codec.decode([...encrypted, erased].map((event) => stored(event)));
    expect(decoded[1]?.data).toMatchObject({ content: null });
    await expect(codec.encode('farmer-rp-1', [updated])).rejects.toThrow(DataKeyDestroyed);
  });

  it('throws when a data key is missing and has no tombstone', async () => {
    const { codec } = setUp();
    await expect(codec.encode('farmer-rp-1', [updated])).rejects.toThrow(DataKeyMissing);
    await expect(codec.decode([stored({ ...updated, data: { ...updated.data, content: 'v1:AAAA' } })])).rejects.toThrow(DataKeyMissing);
  });

  it('upcasts old versions step by step', async () => {
    const { codec } = setUp();
    const old = (schema_version: number, data: Record<string, unknown>) =>
      stored({ id: 'e', type: 'Renamed', data, metadata: { ...metadata, schema_version } });
    const upcast = await codec.decode([old(1, { name: 'x' }), old(2, { title: 'x' }), old(3, { titles: ['x'] })]);
    expect(upcast.map(({ data }) => data)).toStrictEqual([{ titles: ['x'] }, { titles: ['x'] }, { titles: ['x'] }]);
    expect(codec.version('Renamed')).toBe(3);
  });

  describe('of a type with a stored form', () => {
    const shortened = (schema_version: number, data: Record<string, unknown> = { greeting: 'xxx', other: 1 }): NewEvent => ({
      id: 'e',
      type: 'Shortened',
      data,
      metadata: { ...metadata, schema_version },
    });

    it('stores new events in it and returns them in full', async () => {
      const { codec } = setUp();
      const [compact] = await codec.encode('s-1', [shortened(codec.version('Shortened'))]);
      if (!compact) throw new Error('nothing was encoded');
      expect(compact.data).toStrictEqual({ other: 1, g: 's-1 3' });
      expect((await codec.decode([stored(compact)]))[0]?.data).toStrictEqual({ greeting: 'xxx', other: 1 });
      expect(codec.inFull(stored(compact)).data).toStrictEqual({ greeting: 'xxx', other: 1 });
    });

    it('stores events in it that share an append with encrypted ones', async () => {
      const { codec } = setUp();
      const [, , compact] = await codec.encode('s-1', [registered, updated, shortened(2)]);
      expect(compact?.data).toStrictEqual({ other: 1, g: 's-1 3' });
    });

    it('reads events of the version before as they are', async () => {
      const { codec } = setUp();
      const before = stored(shortened(1));
      expect(await codec.decode([before])).toStrictEqual([before]);
      expect(codec.inFull(before)).toBe(before);
    });
  });

  it('returns an event in full without upcasting or decrypting it', () => {
    const { codec } = setUp();
    const old = stored({ id: 'e', type: 'Renamed', data: { name: 'x' }, metadata });
    const encrypted = stored({ ...updated, data: { rupa_id: 'rp-1', content: 'v1:AAAA' } });
    expect([codec.inFull(old), codec.inFull(encrypted)]).toStrictEqual([old, encrypted]);
  });

  it('returns events of other applications in full as they are, and refuses a version that it does not know', () => {
    const { codec } = setUp();
    const foreign = [
      stored({ ...registered, type: 'constructor' }),
      stored({ ...registered, type: 'Shortened', data: 'text' as never, metadata: { ...metadata, schema_version: 2 } }),
      stored({ ...registered, type: 'Shortened', metadata: undefined as never }),
    ];
    expect(foreign.map((event) => codec.inFull(event))).toStrictEqual(foreign);
    expect(() => codec.inFull(stored({ ...registered, metadata: { ...metadata, schema_version: 2 } }))).toThrow(/older than the log/);
  });

  it('refuses a version that it does not know', async () => {
    const { codec } = setUp();
    for (const type of ['Registered', 'Renamed']) {
      const newer = stored({ ...registered, type, metadata: { ...metadata, schema_version: codec.version(type) + 1 } });
      await expect(codec.decode([newer])).rejects.toThrow(/older than the log/);
    }
  });

  it('loads no data key for an event whose personal fields are not there', async () => {
    const { codec } = setUp();
    const [before, erased] = [{ rupa_id: 'rp-nobody' }, { rupa_id: 'rp-nobody', content: null }];
    const decoded = await codec.decode([before, erased].map((data) => stored({ ...updated, data })));
    expect(decoded.map(({ data }) => data)).toStrictEqual([before, erased]);
  });

  it('refuses an unknown event type', async () => {
    const { codec } = setUp();
    await expect(codec.decode([stored({ ...registered, type: 'FromTheFuture' })])).rejects.toThrow(/older than the log/);
  });

  it('leaves event types encrypted that are not selected, without loading their keys', async () => {
    const { codec } = setUp();
    const encrypted = stored({ ...updated, data: { rupa_id: 'rp-nobody', content: 'v1:AAAA' } });
    expect(await codec.decode([encrypted], (type) => type !== 'Updated')).toEqual([encrypted]);
    await expect(codec.decode([encrypted], (type) => type === 'Updated')).rejects.toThrow(DataKeyMissing);
  });

  it('refuses an unknown event type that is not selected for decryption, too', async () => {
    const { codec } = setUp();
    await expect(codec.decode([stored({ ...registered, type: 'FromTheFuture' })], () => false)).rejects.toThrow(/older than the log/);
  });
});
