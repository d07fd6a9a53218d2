import type { PlatformPage } from '../platform/platform-page.domain.ts';
import type { PlatformResponse } from '../platform/platform-response.domain.ts';
import {
  afterCountRefused,
  afterTooLarge,
  fullPageSize,
  type PageSize,
  type PageSizeRules,
} from './page-size.domain.ts';

/** Limits for the tries of one page. */
export interface PageRules extends PageSizeRules {
  /** Failed tries of one page after which the platform counts as unavailable. */
  readonly triesMax: number;
  /** Throttled tries of one page; each cools down its identity and counts as no failed try. */
  readonly throttledMax: number;
  readonly retryMs: number;
  /** The platform refuses a second read of one inventory within seconds. */
  readonly duplicateRetryMs: number;
}

export const denials = ['private', 'not_found'] as const;
export type Denial = (typeof denials)[number];

export function isDenial(outcome: unknown): outcome is Denial {
  return denials.some((denial) => denial === outcome);
}

/** The response to one request for the page. */
export interface PageTry {
  readonly identity: string;
  readonly response: Exclude<PlatformResponse['kind'], 'page' | 'refused'> | 'served';
  /** Whether page 1 was requested instead, to confirm that the whole inventory is private. */
  readonly ofFirstPage: boolean;
}

/** The tries of the page that is being read. */
export interface PageTries {
  /** In the order of the requests. */
  readonly responses: readonly PageTry[];
  readonly size: PageSize;
}

/** One request for a page. */
export interface PageAttempt {
  readonly tries: PageTries;
  /** Whether the page is page 1 of its inventory. */
  readonly isFirstPage: boolean;
  readonly identity: string;
  /** Every configured identity. */
  readonly identities: readonly string[];
}

export type PageVerdict =
  /** The page was read. `cooldowns`: identities to cool down, refused where another one was served. */
  | { readonly result: 'page'; readonly page: PlatformPage; readonly cooldowns: readonly string[] }
  | {
      readonly result: 'retry';
      readonly tries: PageTries;
      readonly pauseMs: number;
      readonly cooldowns: readonly string[];
    }
  | { readonly result: 'ended'; readonly outcome: Denial | 'upstream_unavailable' };

export function freshTries(size: PageSize): PageTries {
  return { responses: [], size };
}

export function firstTries(count: number): PageTries {
  return freshTries(fullPageSize(count));
}

/** A denial of a later page is confirmed by a request for page 1. */
export function requestsFirstPage({ responses }: PageTries): boolean {
  return currentDenials(responses).length > 0;
}

/**
 * Identities that the next request must not use: those whose last response was a refusal. Never all:
 * if each was refused, only the one that was used last, and never the only one.
 */
export function avoidedIdentities(
  { responses }: PageTries,
  identities: readonly string[],
): readonly string[] {
  const refused = identities.filter((identity) => isRefused(lastResponseTo(identity, responses)));
  if (refused.length < identities.length) return refused;
  const last = responses.at(-1)?.identity;
  return identities.length > 1 ? refused.filter((identity) => identity === last) : [];
}

/** Identities that had no connection at their last request for this page. */
export function unreachableIdentities({ responses }: PageTries): readonly string[] {
  const identities = new Set(responses.map(({ identity }) => identity));
  return [...identities].filter(
    (identity) => lastResponseTo(identity, responses)?.response === 'unreachable',
  );
}

/** Whether the identity can neither deny nor serve the inventory at present. */
function isOutOfReach(response: PageTry | undefined): boolean {
  return response?.response === 'unreachable' || response?.response === 'blocked';
}

/** Evaluates a response: the page was read, is requested again, or cannot be read. */
export function evaluatePage(
  attempt: PageAttempt,
  response: PlatformResponse,
  rules: PageRules,
): PageVerdict {
  switch (response.kind) {
    case 'page':
      return onPage(attempt, response.page, rules);
    case 'refused':
      return { result: 'ended', outcome: 'upstream_unavailable' };
    case 'bad_request':
      return retry(attempt, response.kind, rules, afterCountRefused(attempt.tries.size, rules));
    case 'too_large':
      return retry(attempt, response.kind, rules, afterTooLarge(attempt.tries.size));
    case 'private':
    case 'not_found':
      return onDenial(attempt, response.kind, rules);
    case 'fault': {
      const isDuplicate = response.reason === 'duplicate_request';
      const verdict = retry(attempt, response.kind, rules);
      if (verdict.result !== 'retry') return verdict;
      const pauseMs = isDuplicate ? rules.duplicateRetryMs : rules.retryMs;
      return { ...verdict, pauseMs: Math.max(pauseMs, response.retryAfterMs ?? 0) };
    }
    default:
      return retry(attempt, response.kind, rules);
  }
}

function onPage(attempt: PageAttempt, page: PlatformPage, rules: PageRules): PageVerdict {
  const cooldowns = refusedThisPage(attempt);
  if (attempt.isFirstPage || !requestsFirstPage(attempt.tries))
    return { result: 'page', page, cooldowns };
  // The inventory is still public: the page itself is requested again.
  const verdict = retry(attempt, 'served', rules);
  return verdict.result === 'retry' ? { ...verdict, cooldowns } : verdict;
}

/**
 * Identities that were refused what another one is served: blocked, whatever the response was. One
 * that is out of reach is in its cooldown already.
 */
function refusedThisPage(attempt: PageAttempt): readonly string[] {
  const { responses } = attempt.tries;
  return attempt.identities.filter((identity) => {
    const last = lastResponseTo(identity, responses);
    const isOther = identity !== attempt.identity && !isOutOfReach(last);
    return isOther && isRefused(last) && last?.ofFirstPage === isOfFirstPage(attempt);
  });
}

/**
 * A denial is confirmed by the same response to a second identity, or to the only usable one again: a
 * block page can look like a private inventory. After good pages page 1 has to be denied too.
 */
function onDenial(attempt: PageAttempt, kind: Denial, rules: PageRules): PageVerdict {
  const verdict = retry(attempt, kind, rules);
  const responses = [...attempt.tries.responses, responseTo(attempt, kind)];
  const same = currentDenials(responses).filter(({ response }) => response === kind);
  const witnesses = new Set(same.map(({ identity }) => identity));
  const others = attempt.identities.filter(
    (identity) => !witnesses.has(identity) && !isOutOfReach(lastResponseTo(identity, responses)),
  );
  const isConfirmed = same.length >= 2 && (witnesses.size >= 2 || others.length === 0);
  if (isConfirmed && isOfFirstPage(attempt)) return { result: 'ended', outcome: kind };
  return verdict;
}

/** Another try, or the end when none is left. */
function retry(
  attempt: PageAttempt,
  response: PageTry['response'],
  rules: PageRules,
  smaller: PageSize | null = null,
): Exclude<PageVerdict, { result: 'page' }> {
  const { tries, identities } = attempt;
  // The first refusal of a page size is no evidence against the identity.
  if (smaller && response === 'bad_request') {
    return { result: 'retry', tries: { ...tries, size: smaller }, pauseMs: 0, cooldowns: [] };
  }
  const responses = [...tries.responses, responseTo(attempt, response)];
  if (hasEnded(responses, identities, rules)) {
    return { result: 'ended', outcome: 'upstream_unavailable' };
  }
  const pauseMs = smaller ? 0 : pauseAfter(responses, identities, rules);
  return {
    result: 'retry',
    tries: { responses, size: smaller ?? tries.size },
    pauseMs,
    cooldowns: [],
  };
}

function responseTo(attempt: PageAttempt, response: PageTry['response']): PageTry {
  return { identity: attempt.identity, response, ofFirstPage: isOfFirstPage(attempt) };
}

function isOfFirstPage({ isFirstPage, tries }: PageAttempt): boolean {
  return isFirstPage || requestsFirstPage(tries);
}

/** Denials since the last page that was served. */
function currentDenials(responses: readonly PageTry[]): readonly PageTry[] {
  const served = responses.findLastIndex(({ response }) => response === 'served');
  return responses
    .slice(served + 1)
    .filter(({ response }) => response === 'private' || response === 'not_found');
}

function lastResponseTo(identity: string, responses: readonly PageTry[]): PageTry | undefined {
  return responses.findLast((response) => response.identity === identity);
}

const refusals: ReadonlySet<string> = new Set<PageTry['response']>([
  'private',
  'not_found',
  'bad_request',
  'blocked',
  'unreachable',
]);

function isRefused(response: PageTry | undefined): boolean {
  return response !== undefined && refusals.has(response.response);
}

/** Another identity is used at once; one that was refused is used again after a pause. */
function pauseAfter(
  responses: readonly PageTry[],
  identities: readonly string[],
  { retryMs }: PageRules,
): number {
  if (responses.at(-1)?.response === 'throttled') return 0;
  const refused = new Set(responses.filter(isRefused).map(({ identity }) => identity));
  return refused.size < identities.length ? 0 : retryMs;
}

function hasEnded(
  responses: readonly PageTry[],
  identities: readonly string[],
  { triesMax, throttledMax }: PageRules,
): boolean {
  const throttled = responses.filter(({ response }) => response === 'throttled').length;
  const failures = responses.filter((response, index) =>
    isFailure(response, responses.slice(0, index)),
  );
  const refusesAll = identities.every(
    (identity) => lastResponseTo(identity, responses)?.response === 'bad_request',
  );
  return throttled >= throttledMax || failures.length >= triesMax || refusesAll;
}

/** A missing connection counts as a failed try from the second one of the same identity on. */
function isFailure({ identity, response }: PageTry, before: readonly PageTry[]): boolean {
  if (response === 'served' || response === 'throttled') return false;
  if (response !== 'unreachable') return true;
  return before.some((other) => other.identity === identity && other.response === response);
}
