/** The parts that are called, of packages that come without types. */

declare module 'steam-inventory-api-ng' {
  interface Options {
    readonly requestOptions?: {
      readonly uri?: (platformId: string, appId: number, contextId: number) => string;
      readonly headers?: Readonly<Record<string, string>>;
    };
  }
  interface AccountId {
    isValid(): boolean;
    getSteamID64(): string;
  }
  class InventoryApi {
    constructor(options: Options);
    get(
      account: AccountId,
      appId: number,
      contextId: number,
      tradableOnly: boolean,
    ): Promise<{ readonly inventory: readonly { readonly assetid: string }[] }>;
  }
  export = InventoryApi;
}

declare module 'steam-inventory-api' {
  const client: {
    init(options: { readonly id: string; readonly proxy: string }): void;
    get(options: {
      readonly steamid: string;
      readonly appid: number;
      readonly contextid: number;
      readonly tradable: boolean;
    }): Promise<{ readonly items: readonly { readonly assetid: string }[] }>;
  };
  export = client;
}
