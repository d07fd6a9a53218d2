import type { PlatformPage } from '../platform/platform-page.domain.ts';
import type { PlatformAnswer } from '../platform/platform-response.domain.ts';
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
  /** Throttled tries of one page; each rests its identity and counts as no failed try. */
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

/** The answer to one request for the page. */
export interface PageTry {
  readonly identity: string;
  readonly answer: Exclude<PlatformAnswer['kind'], 'page' | 'refused'> | 'served';
  /** Whether page 1 was requested instead, to confirm that the whole inventory is private. */
  readonly ofFirstPage: boolean;
}

/** The tries of the page that is being read. */
export interface PageTries {
  /** In the order of the requests. */
  readonly answers: readonly PageTry[];
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
  /** The page was read. `rests`: identities to rest, refused where another one was served. */
  | { readonly result: 'page'; readonly page: PlatformPage; readonly rests: readonly string[] }
  | {
      readonly result: 'retry';
      readonly tries: PageTries;
      readonly pauseMs: number;
      readonly rests: readonly string[];
    }
  | { readonly result: 'ended'; readonly outcome: Denial | 'upstream_unavailable' };

export function freshTries(size: PageSize): PageTries {
  return { answers: [], size };
}

export function firstTries(count: number): PageTries {
  return freshTries(fullPageSize(count));
}

/** A denial of a later page is confirmed by a request for page 1. */
export function requestsFirstPage({ answers }: PageTries): boolean {
  return currentDenials(answers).length > 0;
}

/**
 * Identities that the next request must not use: those whose last answer was a refusal. Never all:
 * if each was refused, only the one that was used last, and never the only one.
 */
export function avoidedIdentities(
  { answers }: PageTries,
  identities: readonly string[],
): readonly string[] {
  const refused = identities.filter((identity) => isRefused(lastAnswerTo(identity, answers)));
  if (refused.length < identities.length) return refused;
  const last = answers.at(-1)?.identity;
  return identities.length > 1 ? refused.filter((identity) => identity === last) : [];
}

/** Identities whose last answer to this page was no connection. */
export function unreachableIdentities({ answers }: PageTries): readonly string[] {
  const identities = new Set(answers.map(({ identity }) => identity));
  return [...identities].filter(
    (identity) => lastAnswerTo(identity, answers)?.answer === 'unreachable',
  );
}

/** Whether the identity can neither deny nor serve the inventory at present. */
function isOutOfReach(answer: PageTry | undefined): boolean {
  return answer?.answer === 'unreachable' || answer?.answer === 'blocked';
}

/** Evaluates an answer: the page was read, is requested again, or cannot be read. */
export function evaluatePage(
  attempt: PageAttempt,
  answer: PlatformAnswer,
  rules: PageRules,
): PageVerdict {
  switch (answer.kind) {
    case 'page':
      return onPage(attempt, answer.page, rules);
    case 'refused':
      return { result: 'ended', outcome: 'upstream_unavailable' };
    case 'bad_request':
      return retry(attempt, answer.kind, rules, afterCountRefused(attempt.tries.size, rules));
    case 'too_large':
      return retry(attempt, answer.kind, rules, afterTooLarge(attempt.tries.size));
    case 'private':
    case 'not_found':
      return onDenial(attempt, answer.kind, rules);
    case 'fault': {
      const isDuplicate = answer.reason === 'duplicate_request';
      const verdict = retry(attempt, answer.kind, rules);
      if (verdict.result !== 'retry') return verdict;
      const pauseMs = isDuplicate ? rules.duplicateRetryMs : rules.retryMs;
      return { ...verdict, pauseMs: Math.max(pauseMs, answer.retryAfterMs ?? 0) };
    }
    default:
      return retry(attempt, answer.kind, rules);
  }
}

function onPage(attempt: PageAttempt, page: PlatformPage, rules: PageRules): PageVerdict {
  const rests = refusedThisPage(attempt);
  if (attempt.isFirstPage || !requestsFirstPage(attempt.tries))
    return { result: 'page', page, rests };
  // The inventory is still public: the page itself is requested again.
  const verdict = retry(attempt, 'served', rules);
  return verdict.result === 'retry' ? { ...verdict, rests } : verdict;
}

/**
 * Identities that were refused what another one is served: blocked, whatever the answer was. One
 * that is out of reach rests already.
 */
function refusedThisPage(attempt: PageAttempt): readonly string[] {
  const { answers } = attempt.tries;
  return attempt.identities.filter((identity) => {
    const last = lastAnswerTo(identity, answers);
    const isOther = identity !== attempt.identity && !isOutOfReach(last);
    return isOther && isRefused(last) && last?.ofFirstPage === isOfFirstPage(attempt);
  });
}

/**
 * A denial is confirmed by the same answer to a second identity, or to the only usable one again: a
 * block page can look like a private inventory. After good pages page 1 has to be denied too.
 */
function onDenial(attempt: PageAttempt, kind: Denial, rules: PageRules): PageVerdict {
  const verdict = retry(attempt, kind, rules);
  const answers = [...attempt.tries.answers, answerTo(attempt, kind)];
  const same = currentDenials(answers).filter(({ answer }) => answer === kind);
  const witnesses = new Set(same.map(({ identity }) => identity));
  const others = attempt.identities.filter(
    (identity) => !witnesses.has(identity) && !isOutOfReach(lastAnswerTo(identity, answers)),
  );
  const isConfirmed = same.length >= 2 && (witnesses.size >= 2 || others.length === 0);
  if (isConfirmed && isOfFirstPage(attempt)) return { result: 'ended', outcome: kind };
  return verdict;
}

/** Another try, or the end when none is left. */
function retry(
  attempt: PageAttempt,
  answer: PageTry['answer'],
  rules: PageRules,
  smaller: PageSize | null = null,
): Exclude<PageVerdict, { result: 'page' }> {
  const { tries, identities } = attempt;
  // The first refusal of a page size is no evidence against the identity.
  if (smaller && answer === 'bad_request') {
    return { result: 'retry', tries: { ...tries, size: smaller }, pauseMs: 0, rests: [] };
  }
  const answers = [...tries.answers, answerTo(attempt, answer)];
  if (hasEnded(answers, identities, rules)) {
    return { result: 'ended', outcome: 'upstream_unavailable' };
  }
  const pauseMs = smaller ? 0 : pauseAfter(answers, identities, rules);
  return {
    result: 'retry',
    tries: { answers, size: smaller ?? tries.size },
    pauseMs,
    rests: [],
  };
}

function answerTo(attempt: PageAttempt, answer: PageTry['answer']): PageTry {
  return { identity: attempt.identity, answer, ofFirstPage: isOfFirstPage(attempt) };
}

function isOfFirstPage({ isFirstPage, tries }: PageAttempt): boolean {
  return isFirstPage || requestsFirstPage(tries);
}

/** Denials since the last page that was served. */
function currentDenials(answers: readonly PageTry[]): readonly PageTry[] {
  const served = answers.findLastIndex(({ answer }) => answer === 'served');
  return answers
    .slice(served + 1)
    .filter(({ answer }) => answer === 'private' || answer === 'not_found');
}

function lastAnswerTo(identity: string, answers: readonly PageTry[]): PageTry | undefined {
  return answers.findLast((answer) => answer.identity === identity);
}

const refusals: ReadonlySet<string> = new Set<PageTry['answer']>([
  'private',
  'not_found',
  'bad_request',
  'blocked',
  'unreachable',
]);

function isRefused(answer: PageTry | undefined): boolean {
  return answer !== undefined && refusals.has(answer.answer);
}

/** Another identity is used at once; one that was refused is used again after a pause. */
function pauseAfter(
  answers: readonly PageTry[],
  identities: readonly string[],
  { retryMs }: PageRules,
): number {
  if (answers.at(-1)?.answer === 'throttled') return 0;
  const refused = new Set(answers.filter(isRefused).map(({ identity }) => identity));
  return refused.size < identities.length ? 0 : retryMs;
}

function hasEnded(
  answers: readonly PageTry[],
  identities: readonly string[],
  { triesMax, throttledMax }: PageRules,
): boolean {
  const throttled = answers.filter(({ answer }) => answer === 'throttled').length;
  const failures = answers.filter((answer, index) => isFailure(answer, answers.slice(0, index)));
  const refusesAll = identities.every(
    (identity) => lastAnswerTo(identity, answers)?.answer === 'bad_request',
  );
  return throttled >= throttledMax || failures.length >= triesMax || refusesAll;
}

/** A missing connection counts as a failed try from the second one of the same identity on. */
function isFailure({ identity, answer }: PageTry, before: readonly PageTry[]): boolean {
  if (answer === 'served' || answer === 'throttled') return false;
  if (answer !== 'unreachable') return true;
  return before.some((other) => other.identity === identity && other.answer === answer);
}
