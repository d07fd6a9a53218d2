import { type MessageType, messages } from '@inventory/contracts/messages';
import { type TopicName, topics } from '@inventory/contracts/topics';
import { currentTrace, type TraceCarrier } from '@inventory/runtime/tracing';
import { z } from 'zod';
import type { OutgoingMessage, ReceivedMessage } from './bus.ts';

/** A record as it is in a topic: bytes and text headers. */
export interface WireRecord {
  readonly key: string;
  readonly value: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Position {
  readonly topic: TopicName;
  readonly partition: number;
  readonly offset: string;
}

export type DecodeFailure =
  | 'missing_type'
  | 'missing_id'
  | 'unknown_type'
  | 'wrong_topic'
  | 'malformed_json'
  | 'invalid_body';

export type Decoded =
  | { readonly result: 'message'; readonly message: ReceivedMessage }
  | { readonly result: 'undecodable'; readonly reason: DecodeFailure; readonly detail: string };

const header = {
  type: 'message-type',
  id: 'message-id',
  waitingId: 'waiting-id',
  deadline: 'deadline-ms',
  traceparent: 'traceparent',
  tracestate: 'tracestate',
} as const;

/** Encodes the body and its record; throws a ZodError where the body breaks its contract. */
export function encode(message: OutgoingMessage): { topic: TopicName; record: WireRecord } {
  const contract = messages[message.type];
  const body = z.encode<z.ZodType<unknown, Readonly<Record<string, unknown>>>>(
    contract.body,
    message.body,
  );
  const trace = message.trace ?? currentTrace();
  const headers: Record<string, string> = { [header.type]: message.type, [header.id]: message.id };
  // A message from an outbox has null where a field was absent.
  if (message.waitingId != null) headers[header.waitingId] = message.waitingId;
  if (message.deadlineMs != null) headers[header.deadline] = String(message.deadlineMs);
  if (trace.traceparent) headers[header.traceparent] = trace.traceparent;
  if (trace.tracestate) headers[header.tracestate] = trace.tracestate;
  const { topic } = contract;
  const key = String(body[topics[topic].key]);
  return {
    topic,
    record: { key, value: Buffer.from(JSON.stringify(body)), headers },
  };
}

/** Where a record is in its topic, and since when. */
export interface Written extends Position {
  /** By the broker's clock. */
  readonly writtenAtMs: number;
}

/** Decodes a record; a broken contract is a value, never an exception. */
export function decode(record: WireRecord, written: Written): Decoded {
  const { headers } = record;
  const type = headers[header.type];
  if (!type) return failure('missing_type', `no ${header.type} header`);
  if (!Object.hasOwn(messages, type)) return failure('unknown_type', type);
  const contract = messages[type as MessageType];
  if (contract.topic !== written.topic)
    return failure('wrong_topic', `${type} belongs to another topic`);
  const id = headers[header.id];
  if (!id) return failure('missing_id', `no ${header.id} header`);
  let body: unknown;
  try {
    body = JSON.parse(record.value.toString('utf8'));
  } catch {
    return failure('malformed_json', `${record.value.length} bytes`);
  }
  const parsed = contract.body.safeParse(body);
  if (!parsed.success) {
    const issues = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
    return failure('invalid_body', issues.join('; ').slice(0, 1_000));
  }
  return {
    result: 'message',
    message: {
      type,
      id,
      key: record.key,
      body: parsed.data,
      waitingId: headers[header.waitingId],
      deadlineMs: deadlineOf(headers[header.deadline]),
      trace: traceOf(headers),
      ...written,
    } as ReceivedMessage,
  };
}

function deadlineOf(text: string | undefined): number | undefined {
  const deadlineMs = Number(text || Number.NaN);
  return Number.isFinite(deadlineMs) ? deadlineMs : undefined;
}

function traceOf(headers: WireRecord['headers']): TraceCarrier {
  const traceparent = headers[header.traceparent];
  const tracestate = headers[header.tracestate];
  return { ...(traceparent ? { traceparent } : {}), ...(tracestate ? { tracestate } : {}) };
}

function failure(reason: DecodeFailure, detail: string): Decoded {
  return { result: 'undecodable', reason, detail };
}
