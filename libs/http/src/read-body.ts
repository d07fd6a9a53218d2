import type { IncomingMessage } from 'node:http';
import { openJsonText, skipSpace, skipValue } from '@inventory/runtime/json-text';
import { joined } from './byte-parts.ts';
import { isJsonType } from './media-type.ts';
import { Refused } from './refused.ts';

/** Whether a request has a body, an empty one included where its length is not known before. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/**
 * The body of a request. Throws `payload_too_large` as soon as it exceeds `bytesMax`; the remainder
 * is read and dropped, so that the client receives the response and the connection stays usable.
 */
export function readBytes(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  const tooLarge = () => new Refused({ code: 'payload_too_large' });
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) return Promise.reject(tooLarge());
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= bytesMax) chunks.push(chunk);
      else reject(tooLarge());
    });
    request.on('end', () => resolve(joined(chunks)));
    // The connection was cut: no client receives this response.
    request.on('error', (cause) => reject(new Refused({ code: 'malformed_json' }, { cause })));
  });
}

/**
 * The JSON value of a request's body, of at most `bytesMax` bytes and 64 levels; undefined for no
 * byte. Throws `unsupported_media_type` for other types and for packed bodies, `malformed_json` and
 * `payload_too_large`.
 */
export async function readJson(request: IncomingMessage, bytesMax: number): Promise<unknown> {
  const { headers } = request;
  const isJson = isJsonType(headers['content-type'] ?? '');
  const isPlain = (headers['content-encoding'] ?? 'identity').toLowerCase() === 'identity';
  if (!isJson || !isPlain) throw new Refused({ code: 'unsupported_media_type' });
  const bytes = await readBytes(request, bytesMax);
  if (bytes.length === 0) return undefined;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    const value: unknown = JSON.parse(text);
    // Of a member that is given twice the parser takes the last.
    const json = openJsonText(Buffer.from(text));
    skipValue(json, skipSpace(json.bytes, 0));
    return value;
  } catch (cause) {
    throw new Refused({ code: 'malformed_json' }, { cause });
  }
}
