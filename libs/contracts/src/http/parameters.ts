import { z } from 'zod';
import { projectId, refreshId } from '../ids.ts';
import { defaultLanguage, language } from '../languages.ts';
import { wire } from '../wire.ts';

/** An integer in a path or query: digits only, no sign, no leading zero. */
export function canonicalDecimal(minimum: number, maximum: number) {
  return numberOf(decimalText(minimum, maximum));
}

/** As {@link canonicalDecimal}, and this number where it is absent. */
export function decimalWithDefault(minimum: number, maximum: number, byDefault: number) {
  const text = decimalText(minimum, maximum);
  const documented = text.meta({ ...text.meta(), default: byDefault });
  return numberOf(documented).default(byDefault);
}

function numberOf(text: z.ZodString) {
  return z.codec(text, z.number(), { decode: Number, encode: String });
}

function decimalText(minimum: number, maximum: number) {
  const inBounds = (text: string) =>
    /^(0|[1-9][0-9]{0,15})$/.test(text) && Number(text) >= minimum && Number(text) <= maximum;
  return (
    z
      .string()
      .refine(inBounds, `must be a whole number from ${minimum} to ${maximum}, as plain digits`)
      // The meaning of the text, for JSON Schema.
      .meta({ type: 'integer', minimum, maximum })
  );
}

/** Path parameters that name one inventory. */
export const scopePath = z.object({
  platform_id: z.string().regex(/^[0-9]{17}$/, 'must be 17 digits'),
  app_id: canonicalDecimal(1, 2 ** 32 - 1),
  context_id: canonicalDecimal(1, 2 ** 31 - 1),
});

/** Longest wait of a status read for its refresh. */
export const waitSecondsMax = 30;

export const refreshIdPath = wire({ refreshId });
export const projectPath = wire({ projectId });

/** Text on one line. Without a Unicode property, so that every generator can use the pattern. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is what they are refused by.
export const controlFree = /^[^\u0000-\u001f\u007f-\u009f]*$/;

/** An opaque cursor. Any other text is `invalid_cursor`: it is opened, and not validated. */
export const cursorParameter = z.string().meta({ pattern: '^[A-Za-z0-9_-]+$' });

/** A time in a body: RFC 3339 with any offset, passed on in UTC. */
export const requestTime = timeOf((text) => text);
/** A time in a query, where a plus sign that is not encoded arrives as a space. */
export const queryTime = timeOf((text) => text.replace(/ (?=\d\d:\d\d$)/, '+'));

function timeOf(read: (text: string) => string) {
  return z.codec(z.string().meta({ format: 'date-time' }), z.string(), {
    decode(text, { issues }) {
      const utc = utcOf(read(text).toUpperCase());
      if (utc !== null) return utc;
      const message = 'must be a time of RFC 3339, as 2026-01-15T10:00:00.000Z';
      issues.push({ code: 'custom', input: text, message });
      return z.NEVER;
    },
    encode: (utc) => utc,
  });
}

/** As {@link requestTime}, in milliseconds in the code. */
export const requestTimeMs = inMs(requestTime);
/** As {@link queryTime}, in milliseconds in the code. */
export const queryTimeMs = inMs(queryTime);

function inMs(text: typeof requestTime) {
  return z.codec(text, z.number(), {
    decode: (utc) => Date.parse(utc),
    encode: (timeMs) => new Date(timeMs).toISOString(),
  });
}

/** Null for what is none, or in UTC has a year of more or fewer than four digits. */
function utcOf(text: string): string | null {
  // A leap second counts as the one before it.
  const time = text.replace(/(?<=:\d\d):60/, ':59');
  if (!z.iso.datetime({ offset: true }).safeParse(time).success) return null;
  const utc = new Date(time).toISOString();
  return /^\d/.test(utc) ? utc : null;
}

/** `limit` of lists. */
export const listLimit = decimalWithDefault(1, 100, 50).describe('At most so many items.');
/** Query of lists. */
export const listParameters = {
  limit: listLimit,
  cursor: cursorParameter.optional().describe('`next_cursor` of the page before.'),
};

/** `language` of reads: one of the platform's language words. */
export const languageParameter = language
  .default(defaultLanguage)
  .describe("Language of the descriptions, as the platform's word.");

export const idempotencyKey = z
  .string()
  .regex(/^[\x20-\x7e]{1,255}$/, 'must be 1 to 255 printable ASCII characters');

/** Items of a batch: the document shows their schema, and each is validated on its own. */
export function batchItems(item: z.ZodType, itemsMax: number) {
  return z
    .array(z.unknown().meta({ documentedAs: item }))
    .min(1, 'must hold at least one item')
    .max(itemsMax, `must hold at most ${itemsMax} items`);
}
