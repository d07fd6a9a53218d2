import client from 'steam-inventory-api';
import { startKeyProxy } from './key-proxy.ts';
import type { V1Walk } from './v1-walk.ts';

/** The client has one address only and sends no header, but goes through a proxy: the original route. */
export const walkByProxy: V1Walk = async (access, { platformId, appId, contextId }) => {
  const proxy = await startKeyProxy(access);
  try {
    client.init({ id: 'v1-client', proxy: proxy.url });
    const { items } = await client.get({
      steamid: platformId,
      appid: appId,
      contextid: contextId,
      tradable: false,
    });
    return items.map(({ assetid }) => assetid);
  } finally {
    await proxy.close();
  }
};
