import type { IncomingMessage } from 'node:http';
import { Refused } from './refused.ts';

/**
 * The whole body of an internal call; refused with 413 as soon as it is larger than it may be.
 * The rest of such a body is read and dropped, so that the caller gets to read its refusal.
 */
export async function readBody(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  const tooLarge = () => new Refused({ code: 'payload_too_large' });
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) throw tooLarge();
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let bytes = 0;
    request.on('data', (part: Buffer) => {
      bytes += part.length;
      if (bytes <= bytesMax) parts.push(part);
      else reject(tooLarge());
    });
    request.on('end', () => resolve(Buffer.concat(parts)));
    request.on('error', reject);
  });
}

const jsonBytesMax = 64 * 1024;

/** A JSON body, not yet checked against a schema; refused with 400 when it is no JSON. */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  const body = await readBody(request, jsonBytesMax);
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    throw new Refused({ code: 'malformed_json' });
  }
}
