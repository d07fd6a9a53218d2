import { gunzipSync, inflateRawSync } from 'node:zlib';
import { type Answer, type Failure, failureAnswer, jsonAnswer, stageOf } from './failures.ts';

const page = '{"total_inventory_count":0,"success":1,"rwgrsn":-2}';
const json = 'application/json; charset=utf-8';
const html = 'text/html; charset=UTF-8';

function answerTo(failure: Failure): Answer {
  return failureAnswer(failure, () => jsonAnswer(200, page), 90_000);
}

describe('failure answers, byte for byte (upstream 1.4 and 5)', () => {
  it.each<[Failure, number, string, string]>([
    [{ kind: 'throttled' }, 429, json, 'null'],
    [{ kind: 'bad_request' }, 400, json, 'null'],
    [{ kind: 'count_too_big' }, 400, json, 'null'],
    [{ kind: 'block_page' }, 403, json, 'null'],
    [
      { kind: 'firewall_html' },
      403,
      html,
      '<html><head><title>Access denied</title></head><body><h1>Access denied</h1></body></html>',
    ],
    [{ kind: 'firewall_json' }, 403, json, '{"title":"Access denied","status":403}'],
    [{ kind: 'private' }, 403, json, 'null'],
    [{ kind: 'unauthorized' }, 401, json, 'null'],
    [{ kind: 'not_found' }, 404, json, 'null'],
    [
      { kind: 'not_found_html' },
      404,
      html,
      '<html><head><title>Page not found</title></head><body><h1>Page not found</h1></body></html>',
    ],
    [{ kind: 'eresult', code: 55 }, 500, json, '{"error":"SimRefresh failed with EResult 55"}'],
    [{ kind: 'eresult', code: 42 }, 500, json, '{"error":"SimRefresh failed with EResult 42"}'],
    [
      { kind: 'old_eresult', code: 20 },
      500,
      json,
      '{"error":"Sim item server did not answer (20)"}',
    ],
    [{ kind: 'server_text', text: 'Timeout' }, 500, json, '{"error":"Timeout"}'],
    [
      { kind: 'gateway', status: 502 },
      502,
      html,
      '<html><head><title>Bad Gateway</title></head><body><h1>Bad Gateway</h1></body></html>',
    ],
    [
      { kind: 'gateway', status: 503 },
      503,
      html,
      '<html><head><title>Service Unavailable</title></head><body><h1>Service Unavailable</h1></body></html>',
    ],
    [
      { kind: 'gateway', status: 504 },
      504,
      html,
      '<html><head><title>Gateway Timeout</title></head><body><h1>Gateway Timeout</h1></body></html>',
    ],
    [{ kind: 'null_200' }, 200, json, 'null'],
    [
      { kind: 'html_200' },
      200,
      html,
      '<html><head><title>Sorry, something went wrong</title></head><body><h1>Sorry, something went wrong</h1></body></html>',
    ],
    [{ kind: 'refusal_200' }, 200, json, '{"success":false,"Error":"Sim private text"}'],
    [{ kind: 'unsuccessful_200' }, 200, json, '{"success":2,"rwgrsn":-2}'],
    [{ kind: 'fake_redirect_200' }, 200, json, '{"success":1,"fake_redirect":0}'],
  ])('%j is answered by %i', (failure, status, contentType, body) => {
    const answered = answerTo(failure);

    expect(answered).toEqual({ status, contentType, body, delayMs: 0, cut: false });
  });

  it('sends half of the page when the JSON is truncated', () => {
    expect(String(answerTo({ kind: 'truncated' }).body)).toBe(page.slice(0, 25));
  });

  it('sends the whole page and breaks the connection within it', () => {
    expect(answerTo({ kind: 'cut_connection' })).toMatchObject({ body: page, cut: true });
  });

  it('sends the whole page compressed, and names each coding', () => {
    const { body, headers } = answerTo({ kind: 'encoded', codings: ['raw-deflate', 'gzip'] });

    expect(headers).toEqual({ 'content-encoding': 'deflate, gzip' });
    expect(String(inflateRawSync(gunzipSync(body)))).toBe(page);
    expect(answerTo({ kind: 'called_encoded', coding: 'br' })).toMatchObject({
      body: page,
      headers: { 'content-encoding': 'br' },
    });
  });

  it('has a gateway ask for a pause where it is to', () => {
    const answered = answerTo({ kind: 'gateway', status: 503, retry_after: '120' });
    expect(answered).toMatchObject({ status: 503, headers: { 'retry-after': '120' } });
  });

  it('sends the whole page behind an interim answer', () => {
    expect(answerTo({ kind: 'interim', status: 100 })).toMatchObject({
      body: page,
      interim: [100],
    });
  });

  it.each([
    ['assets_twice', `${page.slice(0, -1)},"assets":[]}`],
    ['more_items_twice', `${page.slice(0, -1)},"more_items":0}`],
    ['odd_text', page],
  ] as const)('rewrites a page: %s', (how, body) => {
    expect(String(answerTo({ kind: 'rewritten', how }).body)).toBe(body);
  });

  it('sends the whole page late when the item server is slow', () => {
    expect(answerTo({ kind: 'slow' })).toMatchObject({ status: 200, body: page, delayMs: 90_000 });
  });

  it('belongs to the check that would give the same answer', () => {
    expect(stageOf({ kind: 'throttled' })).toBe('limiter');
    expect(stageOf({ kind: 'eresult', code: 55 })).toBe('item_server');
    expect(stageOf({ kind: 'slow' })).toBe('page');
  });
});
