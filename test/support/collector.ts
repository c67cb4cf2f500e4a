import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';

interface Value {
  readonly stringValue?: string;
  readonly intValue?: number | string;
}

export interface SeenSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly attributes: readonly { readonly key: string; readonly value: Value }[];
}

export interface Collector {
  readonly url: string;
  readonly spans: readonly SeenSpan[];
  /** Returns everything that was received, as text. */
  text(): string;
  close(): Promise<void>;
}

interface Export {
  readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: readonly SeenSpan[] }[] }[];
}

/** Starts an OpenTelemetry collector that receives spans (OTLP over HTTP, JSON). */
export async function startCollector(): Promise<Collector> {
  const spans: SeenSpan[] = [];
  let text = '';
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      text += body;
      for (const { scopeSpans } of (JSON.parse(body) as Export).resourceSpans) for (const scope of scopeSpans) spans.push(...scope.spans);
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    text: () => text,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
