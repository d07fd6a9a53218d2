import { type Scope, scopeKey } from '@inventory/contracts/scope';
import type { Clock } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import { type AppBreaker, afterResult, closedBreaker, isOpen } from '../domain/app-breaker.ts';
import type { PlatformAnswer } from '../domain/platform-answer.ts';
import type { AppBreakerStore } from '../storage/app-breaker-store.ts';

/** The breakers per application: counted on each replica, opened for all. */
export interface AppBreakers {
  isOpen(appId: number): boolean;
  /** Until when, in milliseconds since the epoch; a time in the past when it is closed. */
  openUntilMs(appId: number): number;
  /** Applications that are left alone now. */
  readonly openCount: number;
  record(scope: Scope, answer: PlatformAnswer): Promise<void>;
  /** Takes over what other replicas opened; repeated every second. */
  round(): Promise<void>;
}

const appsMax = 10_000;

export function watchAppBreakers(
  store: AppBreakerStore,
  clock: Clock,
  logger: Logger,
): AppBreakers {
  const counted = new Map<number, AppBreaker>();
  let openElsewhere: ReadonlyMap<number, number> = new Map();

  const openUntilMs = (appId: number): number =>
    Math.max(counted.get(appId)?.openUntilMs ?? 0, openElsewhere.get(appId) ?? 0);

  return {
    isOpen: (appId) => isOpen({ openUntilMs: openUntilMs(appId) }, clock.now()),
    openUntilMs,
    get openCount() {
      const known = new Set([...counted.keys(), ...openElsewhere.keys()]);
      const nowMs = clock.now();
      return [...known].filter((appId) => isOpen({ openUntilMs: openUntilMs(appId) }, nowMs))
        .length;
    },
    async record(scope, answer) {
      const failed = saysAboutApp(answer);
      if (failed === null) return;
      const { app_id: appId } = scope;
      const before = counted.get(appId) ?? closedBreaker;
      const after = afterResult(before, { scopeKey: scopeKey(scope), failed }, clock.now());
      if (counted.size >= appsMax) counted.clear();
      counted.set(appId, after);
      if (after.openUntilMs === before.openUntilMs) return;
      logger.warn({ app_id: appId, until: after.openUntilMs }, 'breaker of an application opened');
      await store.save(appId, after);
    },
    async round() {
      openElsewhere = await store.open(clock.now());
    },
  };
}

/** Whether the application's servers failed; null for what only concerns our address. */
function saysAboutApp(answer: PlatformAnswer): boolean | null {
  switch (answer.kind) {
    case 'fault':
      return answer.reason === 'connection_failed' ? null : answer.reason !== 'duplicate_request';
    case 'page':
    case 'private':
    case 'not_found':
      return false;
    default:
      return null;
  }
}
