import { z } from 'zod';
import { observationId, revisionId } from '../ids.ts';
import { wire } from '../wire.ts';
import { decimalWithDefault, languageParameter } from './parameters.ts';

/** Query of GET …/current/export. */
export const exportQuery = wire({
  language: languageParameter,
  fromRow: decimalWithDefault(0, Number.MAX_SAFE_INTEGER, 0).describe(
    'The first row, counted from 0: as many as a download that was cut has whole lines.',
  ),
  observationId: observationId
    .optional()
    .describe(
      'What a cut download was of, from its `X-Observation-ID`; the latest where absent. Readable ' +
        'for 24 hours after it was superseded.',
    ),
});

/** What an export ends with: without it a download is cut. */
export const exportEnd = wire({
  revisionId,
  rows: z.int().min(0).describe('Lines of this download.'),
  sha256: z.string().describe('Of the bytes of these lines, with their line ends, uncompressed.'),
});

/** Trailer of CSV with {@link exportEnd} as JSON. */
export const exportEndTrailer = 'X-Export-End';
