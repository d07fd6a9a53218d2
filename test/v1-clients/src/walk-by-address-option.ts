import InventoryApi from 'steam-inventory-api-ng';
import type { V1Walk } from './v1-walk.ts';

/** The client has options of its own for another address and for headers: the original route. */
export const walkByAddressOption: V1Walk = async (access, { platformId, appId, contextId }) => {
  const client = new InventoryApi({
    requestOptions: {
      uri: (...scope) => `${access.baseUrl}/api/v1/inventory/${scope.join('/')}`,
      headers: { 'X-API-Key': access.apiKey },
    },
  });
  // The client takes an id as an object too; the simulator's ids are none that it would parse.
  const account = { isValid: () => true, getSteamID64: () => platformId };
  const { inventory } = await client.get(account, appId, contextId, false);
  return inventory.map(({ assetid }) => assetid);
};
