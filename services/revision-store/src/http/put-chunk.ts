import {
  chunkBytesMax,
  chunkDigestHeader,
  stagingQuery,
} from '@inventory/contracts/internal/inventory';
import { InternalRefusal } from '@inventory/http/internal-app';
import { readBody } from '@inventory/http/read-body';
import type { RouterContext } from '@koa/router';
import { type ChunkStaging, stageChunk } from '../operations/stage-chunk.ts';
import { chunkDigest, fromChunkPath } from './convert.ts';

/** PUT /scans/{scan_id}/epochs/{epoch}/pages/{page}/chunks/{chunk}: 204 once it is durable. */
export function putChunk(staging: ChunkStaging) {
  return async (context: RouterContext): Promise<void> => {
    const place = fromChunkPath(context.params);
    const { source } = stagingQuery.parse(context.query);
    const digest = chunkDigest.parse(context.get(chunkDigestHeader));
    const content = await readBody(context.req, chunkBytesMax);
    if (content.length === 0) throw new InternalRefusal(422, 'invalid_request', 'an empty chunk');
    const result = await stageChunk(staging, place, { digest, content, source });
    if (result === 'digest_mismatch') {
      throw new InternalRefusal(422, 'digest_mismatch', 'the body is not what its digest says');
    }
    if (result === 'conflict') {
      throw new InternalRefusal(409, 'chunk_conflict', 'another chunk is staged at this place');
    }
    context.status = 204;
  };
}
