import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { readChunks } from '../../test/support/read-chunks.ts';
import { chunkOf, contentOf, lastChunk } from './chunk.domain.ts';

const texts = fc.array(fc.string({ unit: 'binary', minLength: 1, maxLength: 80 }), {
  maxLength: 5,
});

test('chunks in a row carry their texts whole and in order, wherever they are split, and so do they without their framing (Events: framing)', () => {
  fc.assert(
    fc.property(texts, fc.nat(), (all, somewhere) => {
      const chunks = Buffer.concat(all.map(chunkOf));
      const body = chunks.toString('latin1') + lastChunk;
      const written = all.map((text) => Buffer.from(text).toString('latin1'));

      const part = readChunks(body.slice(0, somewhere % body.length));

      expect(readChunks(body)).toEqual({ chunks: written, isComplete: true });
      expect(part).toEqual({ chunks: written.slice(0, part.chunks.length), isComplete: false });
      expect(contentOf(chunks)).toEqual(Buffer.from(all.join('')));
    }),
    { numRuns: propertyRuns(100) },
  );
});
