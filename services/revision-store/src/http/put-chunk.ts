import {
  chunkBytesMax,
  chunkDigestHeader,
  stagingQuery,
} from '@inventory/contracts/internal/inventory';
import { readBody } from '@inventory/http/read-body';
import { Refused } from '@inventory/http/refused';
import type { RouterContext } from '@koa/router';
import { type ChunkStaging, stageChunk } from '../operations/stage-chunk.ts';
import { chunkDigest, fromChunkPath } from './convert.ts';

const emptyChunk = { in: 'body', field: '', reason: 'must not be empty' } as const;

/** PUT /scans/{scan_id}/epochs/{epoch}/pages/{page}/chunks/{chunk}: 204 once it is durable. */
export function putChunk(staging: ChunkStaging) {
  return async (context: RouterContext): Promise<void> => {
    const place = fromChunkPath(context.params);
    const { source } = stagingQuery.parse(context.query);
    const digest = chunkDigest.parse(context.get(chunkDigestHeader));
    const content = await readBody(context.req, chunkBytesMax);
    if (content.length === 0) {
      throw new Refused({ code: 'invalid_request', detail: { issues: [emptyChunk] } });
    }
    await stageChunk(staging, place, { digest, content, source });
    context.status = 204;
  };
}
