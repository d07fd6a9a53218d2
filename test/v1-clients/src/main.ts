import type { V1Walk } from './v1-walk.ts';
import { walkByAddressOption } from './walk-by-address-option.ts';
import { walkByHttpInstance } from './walk-by-http-instance.ts';
import { walkByProxy } from './walk-by-proxy.ts';

/**
 * Reads one inventory with one existing client, in a process of its own because clients write to
 * the console and leave timers behind. Writes one line of JSON: the ids, or how it failed.
 */
const walks: Readonly<Record<string, V1Walk>> = {
  'steam-inventory-api-ng': walkByAddressOption,
  'steamcommunity-inventory': walkByHttpInstance,
  'steam-inventory-api': walkByProxy,
};

async function main(): Promise<void> {
  const [name = '', platformId = '', appId, contextId] = process.argv.slice(2);
  const { INVENTORY_URL: baseUrl = '', INVENTORY_API_KEY: apiKey = '' } = process.env;
  const walk = walks[name];
  if (walk === undefined) throw new Error(`no client is named ${name}`);
  const scope = { platformId, appId: Number(appId), contextId: Number(contextId) };
  const result = await walk({ baseUrl, apiKey }, scope).then(
    (assetIds) => ({ asset_ids: assetIds }),
    (error: unknown) => ({ failure: { status: statusIn(error), message: String(error) } }),
  );
  process.stdout.write(`\n${JSON.stringify(result)}\n`, () => process.exit(0));
}

/** Each client's errors name the HTTP status in a place of their own. */
function statusIn(error: unknown): number | null {
  const { statusCode, response } = error as {
    statusCode?: number;
    response?: { status?: number };
  };
  return statusCode ?? response?.status ?? null;
}

void main();
