import type { IncomingMessage } from 'node:http';
import { InternalRefusal } from './internal-app.ts';

/** The whole body of an internal call; refused with 413 as soon as it is larger than it may be. */
export async function readBody(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > bytesMax) throw new InternalRefusal(413, 'payload_too_large');
    parts.push(part);
  }
  return Buffer.concat(parts, bytes);
}

const jsonBytesMax = 64 * 1024;

/** A JSON body, not yet checked against a schema; refused with 400 when it is no JSON. */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  const body = await readBody(request, jsonBytesMax);
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw new InternalRefusal(400, 'malformed_json');
  }
}
