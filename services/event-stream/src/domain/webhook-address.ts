import ipaddr from 'ipaddr.js';

export interface AddressRules {
  /** Private networks and plain http: for local stacks and tests. */
  readonly allowPrivate: boolean;
}

/** Metadata services of clouds on addresses of public ranges. */
const metadataAddresses = ['168.63.129.16'];
/** Assigned for global use; all other IPv6 ranges are special. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether an address is public. An IPv4 address written as IPv6 is judged as IPv4; a text that is
 * no address is not public.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  if (address.range() !== 'unicast') return false;
  if (address instanceof ipaddr.IPv6) return address.match(globalUnicast);
  return !metadataAddresses.includes(address.toString());
}

/** The host of a URL as an address; null for a name. */
export function addressOfHost(hostname: string): string | null {
  const bare = hostname.replace(/^\[(.*)\]$/, '$1');
  return ipaddr.isValid(bare) ? bare : null;
}

export type CheckedUrl =
  | { readonly result: 'valid'; readonly url: string }
  | { readonly result: 'invalid'; readonly reason: string };

/** Checks a URL before its name is resolved. */
export function checkWebhookUrl(text: string, { allowPrivate }: AddressRules): CheckedUrl {
  const url = URL.parse(text);
  if (url === null) return invalid('must be a URL');
  const isHttps = url.protocol === 'https:' || (allowPrivate && url.protocol === 'http:');
  if (!isHttps) return invalid('must be an https URL');
  if (url.username !== '' || url.password !== '') return invalid('must not hold a password');
  if (url.hash !== '') return invalid('must not have a fragment');
  if (!allowPrivate && !mayBePublic(url.hostname)) return invalid('must lead to a public address');
  return { result: 'valid', url: url.href };
}

function mayBePublic(hostname: string): boolean {
  const address = addressOfHost(hostname);
  if (address !== null) return isPublicAddress(address);
  return !/(^|\.)localhost\.?$/.test(hostname) && hostname.replace(/\.$/, '').includes('.');
}

function invalid(reason: string): CheckedUrl {
  return { result: 'invalid', reason };
}
