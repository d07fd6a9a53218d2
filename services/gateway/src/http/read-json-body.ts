import type { IncomingMessage } from 'node:http';
import { Refused } from '@inventory/http/refused';

const jsonType = /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?;?$/i;

/**
 * The JSON value of a request's body, of at most `bytesMax` bytes. What is too much is read and
 * dropped rather than left: the client gets its answer and the connection stays usable.
 */
export async function readJsonBody(request: IncomingMessage, bytesMax: number): Promise<unknown> {
  const { headers } = request;
  if (!jsonType.test((headers['content-type'] ?? '').trim())) {
    throw new Refused({ code: 'unsupported_media_type' });
  }
  if ((headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity') {
    throw new Refused({ code: 'unsupported_media_type' });
  }
  if (Number(headers['content-length'] ?? 0) > bytesMax) {
    throw new Refused({ code: 'payload_too_large' });
  }
  return parseJson(await readBytes(request, bytesMax));
}

function readBytes(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= bytesMax) chunks.push(chunk);
      else reject(new Refused({ code: 'payload_too_large' }));
    });
    request.on('end', () => resolve(Buffer.concat(chunks)));
    // Cut off in the middle: nobody reads this answer.
    request.on('error', (cause) => reject(new Refused({ code: 'malformed_json' }, { cause })));
  });
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new Refused({ code: 'malformed_json' }, { cause });
  }
}
