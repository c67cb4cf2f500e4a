import { createHash, createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';

// A witness, written from https://c2sp.org/tlog-witness, https://c2sp.org/tlog-cosignature and RFC 9162 alone: it shares no code with the
// service that it tests.

/** A response of a witness that does not act by the specification. */
export type Misbehaviour = (response: ServerResponse, body: string) => void;

export interface TestWitness {
  /** The value of WITNESSES for this witness, under a name. */
  setting(this: void, name: string): string;
  readonly key: string;
  readonly url: string;
  /** Status and old size of each request. */
  readonly requests: { readonly status: number; readonly old: number }[];
  /** Root and size of the tree that it cosigned last, by origin. */
  readonly cosigned: Map<string, { readonly size: number; readonly root: Buffer }>;
  /** Set it to respond otherwise; undefined acts by the specification. */
  misbehaviour: Misbehaviour | undefined;
  /** Signs a note's text, as it would a checkpoint that it has checked. Returns the line with its line feed. */
  cosign(this: void, text: string, seconds?: number): string;
  close(this: void): Promise<void>;
}

/** @param trusted returns the verifier keys of the logs that it knows, as those publish them */
export async function startWitness(trusted: () => readonly string[] | Promise<readonly string[]>): Promise<TestWitness> {
  const name = 'witness.example/w1';
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const typed = Buffer.concat([Buffer.of(4), publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)]);
  const id = sha256(Buffer.from(`${name}\n`), typed).subarray(0, 4);
  const witness: TestWitness = {
    key: `${name}+${id.toString('hex')}+${typed.toString('base64')}`,
    url: '',
    requests: [],
    cosigned: new Map(),
    misbehaviour: undefined,
    setting: (label) => `${label} ${witness.key} ${witness.url}`,
    cosign: (text, seconds = Math.floor(Date.now() / 1_000)) => cosignatureLine(name, id, privateKey, text, seconds),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  // It closes no idle connection: the service could send its next request over it just then.
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      if (witness.misbehaviour) {
        witness.misbehaviour(response, body);
        return;
      }
      const isCall = request.method === 'POST' && request.url === '/submit/add-checkpoint';
      void Promise.resolve(trusted()).then((keys) => {
        const { status, type = 'text/plain', text = '' } = isCall ? addCheckpoint(witness, body, keys) : { status: 405 };
        witness.requests.push({ status, old: Number(/^old (\d+)\n/.exec(body)?.[1]) });
        response.writeHead(status, { 'Content-Type': type }).end(text);
      });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return Object.assign(witness, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/submit` });
}

interface Outcome {
  readonly status: number;
  readonly type?: string;
  readonly text?: string;
}

const REQUEST = /^old (?<old>0|[1-9]\d*)\n(?<proof>(?:[A-Za-z0-9+/]{43}=\n){0,63})\n(?<note>[^]+)$/;
const NOTE = /^(?<text>(?<origin>[^\n]+)\n(?<size>0|[1-9]\d*)\n(?<root>[A-Za-z0-9+/]{43}=)\n[^]*?)\n(?<signatures>(?:— [^\n]+\n)+)$/;

function addCheckpoint(witness: TestWitness, body: string, trusted: readonly string[]): Outcome {
  const { old = '', proof = '', note = '' } = REQUEST.exec(body)?.groups ?? {};
  const { text, origin = '', size = '', root: rootText = '', signatures = '' } = NOTE.exec(note)?.groups ?? {};
  if (text === undefined || Number(old) > Number(size)) return { status: 400 };
  const keys = trusted.filter((key) => key.startsWith(`${origin}+`));
  if (keys.length === 0) return { status: 404 };
  if (!keys.some((key) => isSigned(text, signatures, key))) return { status: 403 };
  const last = witness.cosigned.get(origin) ?? { size: 0, root: sha256() };
  if (Number(old) !== last.size) return { status: 409, type: 'text/x.tlog.size', text: `${last.size}\n` };
  const hashes = proof
    .split('\n')
    .slice(0, -1)
    .map((line) => Buffer.from(line, 'base64'));
  const next = { size: Number(size), root: Buffer.from(rootText, 'base64') };
  if (!extendsTree(last, next, hashes)) return { status: 422 };
  witness.cosigned.set(origin, next);
  return { status: 200, text: witness.cosign(text) };
}

function isSigned(text: string, signatures: string, key: string): boolean {
  const [name = '', id = '', encoded = ''] = key.split(/\+(?=[0-9a-f]{8}\+)|(?<=\+[0-9a-f]{8})\+/);
  const x = Buffer.from(encoded, 'base64').subarray(1).toString('base64url');
  const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  return signatures.split('\n').some((line) => {
    const bytes = Buffer.from(line.split(' ')[2] ?? '', 'base64');
    const isOfKey = line.split(' ')[1] === name && bytes.subarray(0, 4).toString('hex') === id;
    return isOfKey && verify(null, Buffer.from(text), publicKey, bytes.subarray(4));
  });
}

/** RFC 9162, section 2.1.4.2, with numbers of any size. */
function extendsTree(first: { size: number; root: Buffer }, second: { size: number; root: Buffer }, proof: readonly Buffer[]): boolean {
  if (first.size === 0) return proof.length === 0 && (second.size > 0 || second.root.equals(first.root));
  if (first.size === second.size) return proof.length === 0 && first.root.equals(second.root);
  const isPower = (BigInt(first.size) & BigInt(first.size - 1)) === 0n;
  const path = isPower ? [first.root, ...proof] : [...proof];
  let [fn, sn] = [BigInt(first.size - 1), BigInt(second.size - 1)];
  while (fn & 1n) [fn, sn] = [fn >> 1n, sn >> 1n];
  const start = path.shift();
  if (!start) return false;
  let [fr, sr] = [start, start];
  for (const c of path) {
    if (sn === 0n) return false;
    if (fn & 1n || fn === sn) {
      [fr, sr] = [node(c, fr), node(c, sr)];
      while (!(fn & 1n) && fn !== 0n) [fn, sn] = [fn >> 1n, sn >> 1n];
    } else sr = node(sr, c);
    [fn, sn] = [fn >> 1n, sn >> 1n];
  }
  return sn === 0n && fr.equals(first.root) && sr.equals(second.root);
}

function node(left: Buffer, right: Buffer): Buffer {
  return sha256(Buffer.of(1), left, right);
}

function sha256(...parts: readonly Buffer[]): Buffer {
  return createHash('sha256').update(Buffer.concat(parts)).digest();
}

function cosignatureLine(name: string, id: Buffer, key: KeyObject, text: string, seconds: number): string {
  const time = Buffer.alloc(8);
  time.writeBigUInt64BE(BigInt(seconds));
  const signature = sign(null, Buffer.from(`cosignature/v1\ntime ${seconds}\n${text}`), key);
  return `— ${name} ${Buffer.concat([id, time, signature]).toString('base64')}\n`;
}
