import { apiErrorOf } from './error-families.ts';
import { ConnectionError, UnexpectedAnswerError } from './errors.ts';
import type { Meta } from './records.ts';
import { type Call, type HttpAnswer, nameOf } from './transport.ts';

/** The content of a success response. */
export interface Success {
  readonly data: Fields;
  readonly meta: Meta;
  readonly retryAfterSeconds: number | null;
  readonly replayed: boolean;
  /** The text of the body, for numbers beyond 2^53. */
  readonly text: string;
}

/** Upper bound of Retry-After: that of the service is at most an hour. */
const retryAfterSecondsMax = 3_600;

/** The content of a success response; throws the error of any other. */
export function readAnswer(call: Call, answer: HttpAnswer): Success {
  const { status, headers, text } = answer;
  const body = fieldsIn(parsed(text));
  if (status < 200 || status > 299) throw failureOf(call, answer, body);
  // Truncated by a proxy that ended the response properly.
  if (body === null) throw new ConnectionError(`${nameOf(call)}: the response is no JSON object`);
  const data = fieldsIn(body['data']);
  const { meta } = body;
  if (body['success'] !== true || data === null || !isMeta(meta)) {
    throw new UnexpectedAnswerError(`${nameOf(call)}: the response has an unexpected shape.`);
  }
  return {
    data,
    meta,
    retryAfterSeconds: retryAfterIn(headers),
    replayed: isReplayed(headers),
    text,
  };
}

function failureOf(call: Call, { status, headers }: HttpAnswer, body: Fields | null): Error {
  const error = fieldsIn(body?.['error']);
  const meta = fieldsIn(body?.['meta']);
  const message = textIn(error?.['message']) ?? 'The response is not from the service.';
  return apiErrorOf({
    code: textIn(error?.['code']) ?? `http_${status}`,
    message: `${message} (${nameOf(call)}: ${status})`,
    status,
    requestId: textIn(error?.['request_id']) ?? headers.get('x-request-id'),
    detail: fieldsIn(error?.['detail']),
    retryAfterSeconds: retryAfterIn(headers),
    creditsCharged: numberIn(meta?.['credits_charged']),
  });
}

/** Whether the key was used before, so that nothing is charged. */
export function isReplayed(headers: Headers): boolean {
  return headers.get('idempotency-replayed') === 'true';
}

function retryAfterIn(headers: Headers): number | null {
  const seconds = headers.get('retry-after') ?? '';
  return /^[0-9]{1,9}$/.test(seconds) ? Math.min(Number(seconds), retryAfterSecondsMax) : null;
}

/** The other fields depend on the operation. */
function isMeta(value: unknown): value is Meta {
  return typeof fieldsIn(value)?.['request_id'] === 'string';
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** A JSON object whose shape is not known yet. */
export type Fields = Readonly<Record<string, unknown>>;

/** The value as an object; null where it is none. */
export function fieldsIn(value: unknown): Fields | null {
  return isFields(value) ? value : null;
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function textIn(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

export function numberIn(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}
