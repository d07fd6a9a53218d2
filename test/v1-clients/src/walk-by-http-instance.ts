import axios from 'axios';
import { Inventory } from 'steamcommunity-inventory';
import type { V1Walk } from './v1-walk.ts';

const pageAssets = 2_000;

/** The client takes the HTTP client it shall use, and headers: the alias. */
export const walkByHttpInstance: V1Walk = async (access, { platformId, appId, contextId }) => {
  const axiosInstance = axios.create();
  axiosInstance.interceptors.request.use((request) => {
    const { pathname } = new URL(request.url ?? '');
    return { ...request, url: `${access.baseUrl}/v1/platform${pathname}` };
  });
  const headers = { 'X-API-Key': access.apiKey };
  const client = new Inventory({ axiosInstance, headers });
  const scope = { steamID: platformId, appID: String(appId), contextID: String(contextId) };

  // Left to itself it expects pages of 2,500 and stops early; page by page it is given the next cursor.
  const assetIds: string[] = [];
  for (;;) {
    const lastAssetId = assetIds.at(-1);
    const options = { ...scope, count: pageAssets, ...(lastAssetId ? { lastAssetId } : {}) };
    const page = (await client.get(options)) as readonly { readonly assetid: string }[];
    assetIds.push(...page.map(({ assetid }) => assetid));
    if (page.length < pageAssets) return assetIds;
  }
};
