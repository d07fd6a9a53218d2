/** Where the service is, with which key, and what is asked of it. */
export interface V1Access {
  readonly baseUrl: string;
  readonly apiKey: string;
}

export interface V1Scope {
  readonly platformId: string;
  readonly appId: number;
  readonly contextId: number;
}

/** Walks one inventory to its end with one existing client; resolves with the ids it shows. */
export type V1Walk = (access: V1Access, scope: V1Scope) => Promise<readonly string[]>;
