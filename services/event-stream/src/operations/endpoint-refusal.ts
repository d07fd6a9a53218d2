/** Why something about webhooks is not done. */
export type EndpointRefusal =
  | { readonly ok: false; readonly refusal: 'endpoint_not_found' }
  | { readonly ok: false; readonly refusal: 'endpoint_limit_reached' }
  | { readonly ok: false; readonly refusal: 'event_not_found' }
  | { readonly ok: false; readonly refusal: 'concurrent_change' }
  | { readonly ok: false; readonly refusal: 'invalid_url'; readonly reason: string };

export type Done<Value> = { readonly ok: true; readonly value: Value } | EndpointRefusal;

export const endpointNotFound: EndpointRefusal = { ok: false, refusal: 'endpoint_not_found' };
