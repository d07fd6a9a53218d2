import type { PlatformAnswer } from '../egress/platform-answer.domain.ts';
import type { PlatformPage } from '../egress/platform-page.domain.ts';
import {
  afterCountRefused,
  afterTooLarge,
  fullPageSize,
  type PageSize,
  type PageSizeRules,
} from './page-size.domain.ts';

/** Bounds of the tries of one page. */
export interface PageRules extends PageSizeRules {
  /** Tries of one page that met trouble, before the platform counts as unavailable. */
  readonly triesMax: number;
  /** Throttled tries of one page; each rests its identity, so they cost no retry. */
  readonly throttledMax: number;
  readonly retryMs: number;
  /** The platform refuses a second read of one inventory within seconds. */
  readonly duplicateRetryMs: number;
}

export type Denial = 'private' | 'not_found';

/** How one request for the page was answered, and to which identity. */
export interface PageVerdict {
  readonly identity: string;
  readonly verdict: Exclude<PlatformAnswer['kind'], 'page' | 'refused'> | 'served';
  /** Whether page 1 was read instead, to see whether the whole inventory became private. */
  readonly ofFirstPage: boolean;
}

/** Everything about the page that is being read now. Forgotten once it was read. */
export interface PageTries {
  /** In the order of the requests. */
  readonly verdicts: readonly PageVerdict[];
  readonly size: PageSize;
}

/** What is asked for: one page, of an inventory that begins there or earlier, through these. */
export interface PageAsked {
  readonly tries: PageTries;
  /** Whether the page is page 1 of its inventory. */
  readonly isFirstPage: boolean;
  readonly identity: string;
  /** All there are. */
  readonly identities: readonly string[];
}

export type PageJudgement =
  /** The page was read. `rests`: identities that were refused what this one was served. */
  | { readonly judged: 'page'; readonly page: PlatformPage; readonly rests: readonly string[] }
  | {
      readonly judged: 'again';
      readonly tries: PageTries;
      readonly pauseMs: number;
      readonly rests: readonly string[];
    }
  | { readonly judged: 'ended'; readonly outcome: Denial | 'upstream_unavailable' };

export function freshTries(size: PageSize): PageTries {
  return { verdicts: [], size };
}

export function firstTries(rules: Pick<PageSizeRules, 'count'>): PageTries {
  return freshTries(fullPageSize(rules));
}

/** A denial of a later page is confirmed from page 1: then page 1 is asked for next. */
export function asksFirstPage({ verdicts }: PageTries): boolean {
  return denialsNow(verdicts).length > 0;
}

/**
 * Identities that the next request must not use: those whose last answer refused them. Never all:
 * where each of them was refused, only the one that was asked last, and never the only one.
 */
export function avoidedIdentities(
  { verdicts }: PageTries,
  identities: readonly string[],
): readonly string[] {
  const refused = identities.filter((identity) => isRefused(lastVerdictOf(identity, verdicts)));
  if (refused.length < identities.length) return refused;
  const last = verdicts.at(-1)?.identity;
  return identities.length > 1 ? refused.filter((identity) => identity === last) : [];
}

/** Decides what an answer means for the page. */
export function judgePage(
  asked: PageAsked,
  answer: PlatformAnswer,
  rules: PageRules,
): PageJudgement {
  switch (answer.kind) {
    case 'page':
      return onPage(asked, answer.page, rules);
    case 'refused':
      return { judged: 'ended', outcome: 'upstream_unavailable' };
    case 'bad_request':
      return again(asked, answer.kind, rules, afterCountRefused(asked.tries.size, rules));
    case 'too_large':
      return again(asked, answer.kind, rules, afterTooLarge(asked.tries.size));
    case 'private':
    case 'not_found':
      return onDenial(asked, answer.kind, rules);
    case 'fault': {
      const isDuplicate = answer.reason === 'duplicate_request';
      const judged = again(asked, answer.kind, rules);
      if (judged.judged !== 'again') return judged;
      return { ...judged, pauseMs: isDuplicate ? rules.duplicateRetryMs : rules.retryMs };
    }
    default:
      return again(asked, answer.kind, rules);
  }
}

function onPage(asked: PageAsked, page: PlatformPage, rules: PageRules): PageJudgement {
  const rests = refusedThisPage(asked);
  if (asked.isFirstPage || !asksFirstPage(asked.tries)) return { judged: 'page', page, rests };
  // The inventory is still public: the page itself is asked for again.
  const judged = again(asked, 'served', rules);
  return judged.judged === 'again' ? { ...judged, rests } : judged;
}

/** Refused what another identity is served: a block page, not an answer about the inventory. */
function refusedThisPage(asked: PageAsked): readonly string[] {
  const { verdicts } = asked.tries;
  return asked.identities.filter((identity) => {
    const last = lastVerdictOf(identity, verdicts);
    const isOther = identity !== asked.identity && last?.verdict !== 'unreachable';
    return isOther && isRefused(last) && last?.ofFirstPage === isOfFirstPage(asked);
  });
}

/**
 * A denial is believed when a second identity says the same, or the only usable one says it again:
 * a block page can look like a private inventory. After good pages page 1 has to be denied too.
 */
function onDenial(asked: PageAsked, kind: Denial, rules: PageRules): PageJudgement {
  const judged = again(asked, kind, rules);
  const verdicts = [...asked.tries.verdicts, verdictOn(asked, kind)];
  const same = denialsNow(verdicts).filter(({ verdict }) => verdict === kind);
  const witnesses = new Set(same.map(({ identity }) => identity));
  const others = asked.identities.filter(
    (identity) =>
      !witnesses.has(identity) && lastVerdictOf(identity, verdicts)?.verdict !== 'unreachable',
  );
  const isConfirmed = same.length >= 2 && (witnesses.size >= 2 || others.length === 0);
  if (isConfirmed && isOfFirstPage(asked)) return { judged: 'ended', outcome: kind };
  return judged;
}

/** Another try, or the end of them. */
function again(
  asked: PageAsked,
  verdict: PageVerdict['verdict'],
  rules: PageRules,
  smaller: PageSize | null = null,
): Exclude<PageJudgement, { judged: 'page' }> {
  const { tries, identities } = asked;
  // A count that the platform no longer accepts says nothing about the identity, once.
  if (smaller && verdict === 'bad_request') {
    return { judged: 'again', tries: { ...tries, size: smaller }, pauseMs: 0, rests: [] };
  }
  const verdicts = [...tries.verdicts, verdictOn(asked, verdict)];
  if (hasEnded(verdicts, identities, rules)) {
    return { judged: 'ended', outcome: 'upstream_unavailable' };
  }
  const pauseMs = smaller ? 0 : pauseAfter(verdicts, identities, rules);
  return { judged: 'again', tries: { verdicts, size: smaller ?? tries.size }, pauseMs, rests: [] };
}

function verdictOn(asked: PageAsked, verdict: PageVerdict['verdict']): PageVerdict {
  return { identity: asked.identity, verdict, ofFirstPage: isOfFirstPage(asked) };
}

function isOfFirstPage({ isFirstPage, tries }: PageAsked): boolean {
  return isFirstPage || asksFirstPage(tries);
}

/** Denials since the last page that was served. */
function denialsNow(verdicts: readonly PageVerdict[]): readonly PageVerdict[] {
  const served = verdicts.findLastIndex(({ verdict }) => verdict === 'served');
  return verdicts
    .slice(served + 1)
    .filter(({ verdict }) => verdict === 'private' || verdict === 'not_found');
}

function lastVerdictOf(
  identity: string,
  verdicts: readonly PageVerdict[],
): PageVerdict | undefined {
  return verdicts.findLast((verdict) => verdict.identity === identity);
}

const refusals: ReadonlySet<string> = new Set<PageVerdict['verdict']>([
  'private',
  'not_found',
  'bad_request',
  'unreachable',
]);

function isRefused(verdict: PageVerdict | undefined): boolean {
  return verdict !== undefined && refusals.has(verdict.verdict);
}

/** Another identity is asked at once; one that refused already is asked again after a pause. */
function pauseAfter(
  verdicts: readonly PageVerdict[],
  identities: readonly string[],
  { retryMs }: PageRules,
): number {
  if (verdicts.at(-1)?.verdict === 'throttled') return 0;
  const refused = new Set(verdicts.filter(isRefused).map(({ identity }) => identity));
  return refused.size < identities.length ? 0 : retryMs;
}

function hasEnded(
  verdicts: readonly PageVerdict[],
  identities: readonly string[],
  { triesMax, throttledMax }: PageRules,
): boolean {
  const throttled = verdicts.filter(({ verdict }) => verdict === 'throttled').length;
  const failures = verdicts.filter((verdict, place) =>
    isFailure(verdict, verdicts.slice(0, place)),
  );
  const refusesAll = identities.every(
    (identity) => lastVerdictOf(identity, verdicts)?.verdict === 'bad_request',
  );
  return throttled >= throttledMax || failures.length >= triesMax || refusesAll;
}

/** An egress without a connection costs a try only when the same one is met again. */
function isFailure({ identity, verdict }: PageVerdict, before: readonly PageVerdict[]): boolean {
  if (verdict === 'served' || verdict === 'throttled') return false;
  if (verdict !== 'unreachable') return true;
  return before.some((other) => other.identity === identity && other.verdict === verdict);
}
