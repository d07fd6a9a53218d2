import { getOrCreate } from '../bounded-map.ts';
import { type App, apps } from '../catalogue/apps.ts';
import { assetIndexOf } from '../inventory/asset-ids.ts';
import { assetId, type Inventory, pageNumber, slice, startIndex } from '../inventory/inventory.ts';
import { pageBody } from '../inventory/page-body.ts';
import { pageQuirks, type WirePage } from '../inventory/page-quirks.ts';
import {
  type Account,
  currentInventory,
  findAccount,
  numberingOf,
} from '../inventory/resolve-inventory.ts';
import {
  newProgress,
  noteRequest,
  type ScenarioProgress,
  takeScenarioFailure,
} from '../scenario/scenario-progress.ts';
import {
  type Answer,
  type Failure,
  failureAnswer,
  jsonAnswer,
  type Stage,
  stages,
} from './failures.ts';
import { takeRuleFailure } from './fault-rules.ts';
import { type InventoryRequest, inventoryKey } from './inventory-request.ts';
import { admit, newLimiterState } from './limiter.ts';
import { rememberedMax, type World } from './world.ts';

/** A request with the account and inventory it addresses. */
type ResolvedRequest = {
  readonly request: InventoryRequest;
  readonly world: World;
  readonly account: Account | undefined;
  readonly app: App | undefined;
  readonly pageSize: number;
  readonly pageNumber: number;
  readonly progress: ScenarioProgress | undefined;
};

/**
 * The platform's response to one request. Deterministic: the same requests at the same times against
 * equal worlds give equal responses. The world is changed by what the platform remembers of them.
 */
export function answer(request: InventoryRequest, world: World): Answer {
  const resolved = resolve(request, world);
  const response = firstAnswer(resolved);
  return { ...response, delayMs: response.delayMs + world.latency.fixedMs };
}

function firstAnswer(resolved: ResolvedRequest): Answer {
  for (const stage of stages) {
    const failure = checks[stage](resolved) ?? plannedFailure(stage, resolved);
    if (failure !== undefined) {
      return failureAnswer(failure, () => goodPage(resolved), resolved.world.latency.slowMs);
    }
  }
  const good = goodPage(resolved);
  if (resolved.progress !== undefined && resolved.pageNumber === 1) {
    resolved.progress.scans += 1;
  }
  return good;
}

function resolve(request: InventoryRequest, world: World): ResolvedRequest {
  const account = findAccount(world, request.platformId);
  const pageSize = account?.scenario?.pageAssets ?? (request.count || world.limits.countMax);
  return {
    request,
    world,
    account,
    app: knownApp(request),
    pageSize,
    pageNumber: askedPage(request, account, pageSize),
    progress: scenarioProgress(request, world, account),
  };
}

function knownApp({ appId, contextId }: InventoryRequest): App | undefined {
  const app = apps.get(appId);
  const known = app?.contextIds.includes(contextId) || app?.ownerOnlyContextIds.includes(contextId);
  return known ? app : undefined;
}

function askedPage(
  request: InventoryRequest,
  account: Account | undefined,
  pageSize: number,
): number {
  if (request.startAssetId === undefined) {
    return 1;
  }
  if (account === undefined) {
    return 2;
  }
  const { salt, assetIdStyle } = numberingOf(account, request);
  const index = assetIndexOf(salt, assetIdStyle, request.startAssetId);
  return Math.max(2, pageNumber((index ?? 0) + 1, pageSize));
}

function scenarioProgress(
  request: InventoryRequest,
  world: World,
  account: Account | undefined,
): ScenarioProgress | undefined {
  if (account?.scenario?.faults === undefined && account?.scenario?.eachScan === undefined) {
    return undefined;
  }
  const key = inventoryKey(request);
  const progress = getOrCreate(world.progress, key, newProgress, rememberedMax);
  noteRequest(progress, request.nowMs);
  return progress;
}

/** What each stage refuses by itself; the order is that of `stages`. */
const checks: Record<Stage, (resolved: ResolvedRequest) => Failure | undefined> = {
  limiter: ({ request, world }) => {
    const { windowSeconds, slots, blockSeconds } = world.limits;
    const limits = { windowMs: windowSeconds * 1_000, slots, blockMs: blockSeconds * 1_000 };
    const state = getOrCreate(world.limiters, request.identity, newLimiterState, rememberedMax);
    return admit(state, limits, request.nowMs) ? undefined : { kind: 'throttled' };
  },
  identity: ({ request, world }) => {
    const mode = world.identityModes.get(request.identity) ?? 'normal';
    return mode === 'normal' ? undefined : { kind: mode };
  },
  account: ({ account }) => (account === undefined ? { kind: 'not_found' } : undefined),
  privacy: ({ account }) => (account?.private ? { kind: 'private' } : undefined),
  count: ({ request, world }) =>
    // NaN is not a count at all; it fails this comparison as it should.
    request.count === undefined || request.count <= world.limits.countMax
      ? undefined
      : { kind: 'count_too_big' },
  app: ({ app }) => (app === undefined ? { kind: 'eresult', code: 42 } : undefined),
  item_server: (resolved) => {
    const inventory = requestedInventory(resolved);
    return startIndex(inventory, resolved.request.startAssetId) === undefined
      ? { kind: 'eresult', code: 2 }
      : undefined;
  },
  page: () => undefined,
};

function plannedFailure(stage: Stage, resolved: ResolvedRequest): Failure | undefined {
  const { request, world, account, progress } = resolved;
  const { identity, nowMs } = request;
  const planned = takeRuleFailure(world.faultRules.values(), stage, resolved);
  if (planned !== undefined || account?.scenario === undefined || progress === undefined) {
    return planned;
  }
  const blockMs = world.limits.blockSeconds * 1_000;
  const at = { stage, pageNumber: resolved.pageNumber, identity, nowMs, blockMs };
  return takeScenarioFailure(account.scenario, progress, at);
}

/** Only for requests past the `app` stage. */
function requestedInventory({ request, world, account }: ResolvedRequest): Inventory {
  const inventory = account && currentInventory(world, account, request);
  if (!inventory) throw new Error('a request without an inventory came past the checks');
  return inventory;
}

function goodPage(resolved: ResolvedRequest): Answer {
  const { request, world, account, pageSize } = resolved;
  const inventory = requestedInventory(resolved);
  const startsAt = startIndex(inventory, request.startAssetId) ?? inventory.size;
  const pageFrom = (index: number, count: number) =>
    pageBody(inventory, slice(inventory, index, count), request, world.descriptions);
  const body = pageFrom(startsAt, pageSize);
  const quirk = account?.scenario?.quirk;
  if (quirk === undefined) {
    return jsonAnswer(200, body);
  }
  const page = pageQuirks[quirk](parsePage(body), {
    pageNumber: resolved.pageNumber,
    pageSize,
    startAssetId: request.startAssetId,
    assetIdAt: (index) => assetId(inventory, index),
    cursorRemoved: request.startAssetId !== undefined && inventory.removed.has(startsAt - 1),
    cursorAssetPage: () => parsePage(pageFrom(startsAt - 1, 1)),
    firstPage: () => parsePage(pageFrom(-inventory.added, pageSize)),
    scans: resolved.progress?.scans ?? 0,
  });
  return jsonAnswer(200, JSON.stringify(page));
}

function parsePage(body: Buffer): WirePage {
  return JSON.parse(body.toString()) as WirePage;
}
