/** One egress, as the setting names it. */
export type EgressName =
  | { readonly kind: 'direct'; readonly localAddress: string | null }
  | {
      readonly kind: 'proxy';
      readonly origin: string;
      readonly host: string;
      /** Null where the proxy needs no credentials. */
      readonly user: string | null;
      readonly password: string;
    };

const localAddress = /^[0-9a-fA-F.:]{2,45}$/;

/**
 * Reads `direct` (this machine's address), `direct:<local address>`, or the http(s) URL of a
 * proxy, which may carry user and password. Null for anything else.
 */
export function parseEgressName(name: string): EgressName | null {
  if (name === 'direct') return { kind: 'direct', localAddress: null };
  if (name.startsWith('direct:')) {
    const address = name.slice('direct:'.length);
    return localAddress.test(address) ? { kind: 'direct', localAddress: address } : null;
  }
  const url = URL.parse(name);
  if (!url || !/^https?:$/.test(url.protocol)) return null;
  const user = decodeURIComponent(url.username);
  return {
    kind: 'proxy',
    origin: url.origin,
    host: url.host,
    user: user === '' ? null : user,
    password: decodeURIComponent(url.password),
  };
}

/** Names the identity in the store, in metrics and logs; carries no password. */
export function identityId(egress: EgressName): string {
  if (egress.kind === 'direct') {
    return egress.localAddress === null ? 'direct' : `direct:${egress.localAddress}`;
  }
  return egress.user === null ? `proxy:${egress.host}` : `proxy:${egress.user}@${egress.host}`;
}
