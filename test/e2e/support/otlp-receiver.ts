import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Null for the first span of a trace. */
  readonly parentSpanId: string | null;
  readonly name: string;
  readonly kind: 'internal' | 'server' | 'client' | 'producer' | 'consumer' | 'unknown';
  readonly startMs: number;
  readonly durationMs: number;
  readonly attributes: Readonly<Record<string, string>>;
  /** Spans of other traces that it names. */
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly service: string;
  /** The process that recorded it. */
  readonly pid: string;
}

/** Whom services send their traces to: OTLP over HTTP, in JSON. */
export interface OtlpReceiver {
  readonly url: string;
  readonly spans: readonly ReceivedSpan[];
  /** Everything as it was received. */
  readonly payloads: readonly string[];
  ofTrace(traceId: string): ReceivedSpan[];
  close(): Promise<void>;
}

const kinds = ['unknown', 'internal', 'server', 'client', 'producer', 'consumer'] as const;

interface WireAttribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}
interface WireSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes?: readonly WireAttribute[];
  readonly links?: ReceivedSpan['links'];
}
interface WirePayload {
  readonly resourceSpans?: readonly {
    readonly resource: { readonly attributes?: readonly WireAttribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly WireSpan[] }[];
  }[];
}

export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const payloads: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      payloads.push(`${request.url} ${text}`);
      if (request.url === '/v1/traces') spans.push(...spansOf(JSON.parse(text) as WirePayload));
      response.setHeader('content-type', 'application/json').end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    payloads,
    ofTrace: (traceId) => spans.filter((span) => span.traceId === traceId),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

function spansOf({ resourceSpans = [] }: WirePayload): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const process = textsOf(resource.attributes);
    return scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId || null,
        name: span.name,
        kind: kinds[span.kind] ?? 'unknown',
        startMs: Number(BigInt(span.startTimeUnixNano) / 1_000_000n),
        durationMs: Number(
          (BigInt(span.endTimeUnixNano) - BigInt(span.startTimeUnixNano)) / 1_000_000n,
        ),
        attributes: textsOf(span.attributes),
        links: (span.links ?? []).map(({ traceId, spanId }) => ({ traceId, spanId })),
        service: process['service.name'] ?? '',
        pid: process['process.pid'] ?? '',
      })),
    );
  });
}

function textsOf(attributes: readonly WireAttribute[] = []): Record<string, string> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, String(Object.values(value)[0])]),
  );
}
