import type { IHeaders, KafkaMessage } from 'kafkajs';
import type { WireRecord } from '../../wire-record.ts';

/** A record as the broker sent it. Never throws, whatever its key, value and headers are. */
export function fromKafkaMessage(message: KafkaMessage): WireRecord {
  return {
    key: message.key?.toString() ?? '',
    value: message.value ?? Buffer.alloc(0),
    headers: toTextHeaders(message.headers ?? {}),
  };
}

/** Header values are buffers, lists of buffers where a name is repeated, or null. */
function toTextHeaders(headers: IHeaders): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    const single = Array.isArray(value) ? value[0] : value;
    if (single != null) texts[name] = single.toString();
  }
  return texts;
}

export function toKafkaMessage(record: WireRecord) {
  return { key: record.key, value: record.value, headers: { ...record.headers } };
}
