import type { Failure } from '../platform/failures.ts';
import { type ScenarioDefinition, type ScenarioFault, scenario } from './scenario-definition.ts';

const eresult = (code: number): Failure => ({ kind: 'eresult', code });
const always = (failure: Failure): readonly ScenarioFault[] => [{ failure }];
const first = (until: number | 'silence', failure: Failure): readonly ScenarioFault[] => [
  { failure, page: 1, until },
];

/** Accounts whose responses are failures, some of them for a while only. */
export const failingScenarios: readonly ScenarioDefinition[] = [
  scenario(201, 'private', 'Always 403 with null.', { faults: always({ kind: 'private' }) }),
  scenario(202, 'private-401', 'Always 401 with null.', {
    faults: always({ kind: 'unauthorized' }),
  }),
  scenario(
    203,
    'becomes-private-at-page-2',
    'A good first page, then 403 for every page, the first included.',
    { size: 4_001, faults: [{ failure: { kind: 'private' }, page: 2, stays: true }] },
  ),
  scenario(
    204,
    'private-at-page-2-only',
    '403 at the second page, while the first stays readable.',
    { size: 4_001, faults: [{ failure: { kind: 'private' }, page: 2 }] },
  ),
  scenario(205, 'not-found', 'Always 404 with null: no such profile.', {
    size: 0,
    faults: always({ kind: 'not_found' }),
  }),
  scenario(206, 'not-found-html', 'Always 404 with an HTML page.', {
    size: 0,
    faults: always({ kind: 'not_found_html' }),
  }),
  scenario(207, 'unknown-app', 'An application that does not exist: 500 with EResult 42.', {
    appId: 999_999,
  }),
  scenario(208, 'eresult-42', 'Always 500 with EResult 42 for a known application.', {
    faults: always(eresult(42)),
  }),
  scenario(209, 'eresult-77', 'Always 500 with an unknown EResult.', {
    faults: always(eresult(77)),
  }),
  scenario(210, 'eresult-55', 'Always 500 with EResult 55.', { faults: always(eresult(55)) }),
  scenario(211, 'eresult-55-twice', 'EResult 55 twice on the first page, then good.', {
    size: 2_001,
    faults: first(2, eresult(55)),
  }),
  scenario(212, 'eresult-55-twice-at-page-2', 'EResult 55 twice on the second page, then good.', {
    size: 4_001,
    faults: [{ failure: eresult(55), page: 2, until: 2 }],
  }),
  scenario(213, 'old-eresult-20-once', 'The old form of EResult 20 once, then good.', {
    faults: first(1, { kind: 'old_eresult', code: 20 }),
  }),
  scenario(214, 'duplicate-request-once', 'EResult 29 once, then good.', {
    faults: first(1, eresult(29)),
  }),
  scenario(215, 'timeout-text-once', 'An error text without any code once, then good.', {
    faults: first(1, { kind: 'server_text', text: 'Timeout' }),
  }),
  scenario(216, 'null-200-once', '200 with null once, then good.', {
    faults: first(1, { kind: 'null_200' }),
  }),
  scenario(217, 'null-200', 'Always 200 with null.', { faults: always({ kind: 'null_200' }) }),
  scenario(218, 'truncated-json', 'Always half of a good page, with an honest length.', {
    size: 200,
    faults: always({ kind: 'truncated' }),
  }),
  scenario(219, 'truncated-json-once', 'Half of a good page once, then good.', {
    size: 200,
    faults: first(1, { kind: 'truncated' }),
  }),
  scenario(
    220,
    'cut-connection-once',
    'The connection breaks in the middle of the page once, then good.',
    { size: 200, faults: first(1, { kind: 'cut_connection' }) },
  ),
  scenario(221, 'html-200', 'Always 200 with an HTML page.', {
    faults: always({ kind: 'html_200' }),
  }),
  scenario(222, 'html-200-once', '200 with an HTML page once, then good.', {
    faults: first(1, { kind: 'html_200' }),
  }),
  scenario(223, 'old-refusal', 'Always 200 with success false and a text.', {
    faults: always({ kind: 'refusal_200' }),
  }),
  scenario(224, 'unsuccessful', 'Always 200 with success 2.', {
    faults: always({ kind: 'unsuccessful_200' }),
  }),
  scenario(225, 'fake-redirect', 'Always 200 with what a proxy put there.', {
    faults: always({ kind: 'fake_redirect_200' }),
  }),
  scenario(226, 'gateway-503-once', '503 with HTML once, then good.', {
    faults: first(1, { kind: 'gateway', status: 503 }),
  }),
  scenario(227, 'gateway-503', 'Always 503 with HTML.', {
    faults: always({ kind: 'gateway', status: 503 }),
  }),
  scenario(
    228,
    '429-until-silent',
    '429 to each identity until it has left the account alone for the block time, then good.',
    { faults: first('silence', { kind: 'throttled' }) },
  ),
  scenario(229, 'slow', 'Always a good page, later than any sensible timeout.', {
    faults: always({ kind: 'slow' }),
  }),
  scenario(230, 'slow-once', 'A page beyond any sensible timeout once, then good.', {
    faults: first(1, { kind: 'slow' }),
  }),
  scenario(231, 'bad-request', 'Always 400 with null.', {
    faults: always({ kind: 'bad_request' }),
  }),
  scenario(232, '429-once', '429 once, then good.', { faults: first(1, { kind: 'throttled' }) }),
];
