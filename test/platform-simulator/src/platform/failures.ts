import { z } from 'zod';
import { codings, contentEncoding, encode } from './content-codings.ts';
import { rewrite, rewritings } from './rewritten-body.ts';

/** The checks a request passes, in the platform's order; the first failure is the response. */
export const stages = [
  'limiter',
  'identity',
  'account',
  'privacy',
  'count',
  'app',
  'item_server',
  'page',
] as const;
export type Stage = (typeof stages)[number];

/** What is sent, when, and how much of it. */
export type Answer = {
  readonly status: number;
  readonly contentType: string;
  readonly body: string | Buffer;
  /** Besides those of type and length. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Interim responses before it, by their status. */
  readonly interim?: readonly number[];
  readonly delayMs: number;
  /** The connection breaks after the first half of the body. */
  readonly cut: boolean;
};

/** Failures that are a status and a fixed body, and the check at which each belongs. */
const fixed = {
  throttled: ['limiter', jsonAnswer(429, 'null')],
  bad_request: ['identity', jsonAnswer(400, 'null')],
  block_page: ['identity', jsonAnswer(403, 'null')],
  firewall_html: ['identity', htmlAnswer(403, 'Access denied')],
  firewall_json: ['identity', jsonAnswer(403, '{"title":"Access denied","status":403}')],
  not_found: ['account', jsonAnswer(404, 'null')],
  not_found_html: ['account', htmlAnswer(404, 'Page not found')],
  private: ['privacy', jsonAnswer(403, 'null')],
  unauthorized: ['privacy', jsonAnswer(401, 'null')],
  count_too_big: ['count', jsonAnswer(400, 'null')],
  null_200: ['page', jsonAnswer(200, 'null')],
  html_200: ['page', htmlAnswer(200, 'Sorry, something went wrong')],
  refusal_200: ['page', jsonAnswer(200, '{"success":false,"Error":"Sim private text"}')],
  unsuccessful_200: ['page', jsonAnswer(200, '{"success":2,"rwgrsn":-2}')],
  fake_redirect_200: ['page', jsonAnswer(200, '{"success":1,"fake_redirect":0}')],
} as const satisfies Record<string, readonly [Stage, Answer]>;

type FixedKind = keyof typeof fixed;

const code = z.int().min(0).max(65_535);

/** One way the platform fails. Also the `failure` of a fault rule's body. */
export const failure = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.enum(Object.keys(fixed) as [FixedKind, ...FixedKind[]]) }),
  z.strictObject({ kind: z.enum(['truncated', 'cut_connection', 'slow']) }),
  z.strictObject({ kind: z.literal('eresult'), code }),
  z.strictObject({ kind: z.literal('old_eresult'), code }),
  z.strictObject({
    kind: z.literal('server_text'),
    text: z.enum([
      'Timeout',
      'batched request timeout after 10 seconds',
      'Failed to get inventory',
      'Failed to send request',
    ]),
  }),
  z.strictObject({
    kind: z.literal('gateway'),
    status: z.literal([502, 503, 504]),
    retry_after: z.string().max(100).exactOptional(),
  }),
  z.strictObject({ kind: z.literal('encoded'), codings: z.array(z.enum(codings)).min(1).max(4) }),
  z.strictObject({ kind: z.literal('interim'), status: z.literal([100, 102, 103]) }),
  z.strictObject({ kind: z.literal('rewritten'), how: z.enum(rewritings) }),
  z.strictObject({ kind: z.literal('called_encoded'), coding: z.string().regex(/^[a-z-]{1,20}$/) }),
]);
export type Failure = z.infer<typeof failure>;

export function jsonAnswer(status: number, body: string | Buffer): Answer {
  return { status, contentType: 'application/json; charset=utf-8', body, delayMs: 0, cut: false };
}

function htmlAnswer(status: number, title: string): Answer {
  const body = `<html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>`;
  return { status, contentType: 'text/html; charset=UTF-8', body, delayMs: 0, cut: false };
}

export function stageOf({ kind }: Failure): Stage {
  switch (kind) {
    case 'eresult':
    case 'old_eresult':
    case 'server_text':
    case 'gateway':
      return 'item_server';
    default:
      return isFixed(kind) ? fixed[kind][0] : 'page';
  }
}

function isFixed(kind: string): kind is FixedKind {
  return Object.hasOwn(fixed, kind);
}

/** How a failure changes the good response; most replace it without building it. */
export function failureAnswer(of: Failure, good: () => Answer, slowMs: number): Answer {
  switch (of.kind) {
    case 'truncated': {
      const page = Buffer.from(good().body);
      return jsonAnswer(200, page.subarray(0, Math.floor(page.length / 2)));
    }
    case 'cut_connection':
      return { ...good(), cut: true };
    case 'slow': {
      const page = good();
      return { ...page, delayMs: page.delayMs + slowMs };
    }
    case 'encoded': {
      const page = good();
      const body = encode(Buffer.from(page.body), of.codings);
      return { ...page, body, headers: { 'content-encoding': contentEncoding(of.codings) } };
    }
    case 'interim':
      return { ...good(), interim: [of.status] };
    case 'rewritten': {
      const page = good();
      return { ...page, body: rewrite(Buffer.from(page.body), of.how) };
    }
    case 'called_encoded':
      return { ...good(), headers: { 'content-encoding': of.coding } };
    case 'eresult':
      return errorAnswer(`SimRefresh failed with EResult ${of.code}`);
    case 'old_eresult':
      return errorAnswer(`Sim item server did not answer (${of.code})`);
    case 'server_text':
      return errorAnswer(of.text);
    case 'gateway':
      return {
        ...htmlAnswer(of.status, gatewayTitles[of.status]),
        ...(of.retry_after === undefined ? {} : { headers: { 'retry-after': of.retry_after } }),
      };
    default:
      return fixed[of.kind][1];
  }
}

function errorAnswer(text: string): Answer {
  return jsonAnswer(500, JSON.stringify({ error: text }));
}

const gatewayTitles = { 502: 'Bad Gateway', 503: 'Service Unavailable', 504: 'Gateway Timeout' };
