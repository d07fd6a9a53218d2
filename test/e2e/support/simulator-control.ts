import type { Environment } from '@inventory/contracts/environment';
import type { InventoryKey } from '@inventory/contracts/inventory-key';
import { scenarioInventory, sizeInventory } from '@inventory/platform-simulator/scenarios';
import { callOnce } from '../../support/call-once.ts';

/** The knobs of the simulated platform. */
export interface SimulatorControl {
  // biome-ignore lint/suspicious/noExplicitAny: tests read any member.
  call(method: string, path: string, body?: unknown): Promise<any>;
  /** Fails requests that match; see the simulator's README. */
  fail(fault: Readonly<Record<string, unknown>>): Promise<void>;
  /** Responses about the account wait until it is released: a scan of it stays under way. */
  hold(scope: InventoryKey): Promise<void>;
  /** The same for all pages but the first. */
  holdLaterPages(scope: InventoryKey): Promise<void>;
  release(scope: InventoryKey): Promise<void>;
  /** Requests about the account. */
  requestsOf(scope: InventoryKey): Promise<number>;
  /** 429 answers since it was started. */
  throttled(): Promise<number>;
}

export function createSimulatorControl(simulatorUrl: string | null): SimulatorControl {
  async function call(method: string, path: string, body?: unknown) {
    const { status, text } = await callOnce(`${simulatorUrl}/control${path}`, { method, body });
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`);
    return JSON.parse(text);
  }
  return {
    call,
    async fail(fault) {
      await call('POST', '/faults', fault);
    },
    hold: async ({ platform_id }) => {
      await call('PATCH', `/accounts/${platform_id}`, { held: true });
    },
    holdLaterPages: async ({ platform_id }) => {
      await call('PATCH', `/accounts/${platform_id}`, { held: 'later_pages' });
    },
    release: async ({ platform_id }) => {
      await call('PATCH', `/accounts/${platform_id}`, { held: false });
    },
    requestsOf: async ({ platform_id }) => {
      const { accounts } = await call('GET', `/counters?platform_id=${platform_id}`);
      return accounts[platform_id]?.requests ?? 0;
    },
    throttled: async () => (await call('GET', '/counters')).total.throttled,
  };
}

/** A scenario's account as the public API names it; each serial is an account of its own. */
export function scenarioScope(name: string, serial = 0): InventoryKey {
  const { platformId, appId, contextId } = scenarioInventory(name, serial);
  return { platform_id: platformId, app_id: appId, context_id: contextId };
}

/** The account of the same kind that an environment has. */
export function inEnvironment(environment: Environment, scope: InventoryKey): InventoryKey {
  return environment === 'live' ? scope : inSandbox(scope);
}

/** The account of the same kind that the sandbox has. */
export function inSandbox(scope: InventoryKey): InventoryKey {
  return { ...scope, platform_id: scope.platform_id.replace(/^76/, '77') };
}

export function sizeScope(size: number, serial: number): InventoryKey {
  const { platformId, appId, contextId } = sizeInventory(size, serial);
  return { platform_id: platformId, app_id: appId, context_id: contextId };
}
