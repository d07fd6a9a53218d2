import ipaddr from 'ipaddr.js';

export interface AddressRules {
  /** Private networks and plain http: for local stacks and tests. */
  readonly allowPrivate: boolean;
}

/** The cloud's own services where they answer on an address that is public by its number. */
const metadataAddresses = ['168.63.129.16'];
/** What is assigned for global use; everything beside it in IPv6 is special. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether an address is one of the public internet. An IPv4 address written as IPv6 counts as what
 * it is; whatever no address can be read from is not public.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  if (address.range() !== 'unicast') return false;
  if (address instanceof ipaddr.IPv6) return address.match(globalUnicast);
  return !metadataAddresses.includes(address.toString());
}

/** The address that a URL's host is, null where it is a name. */
export function addressOfHost(hostname: string): string | null {
  const bare = hostname.replace(/^\[(.*)\]$/, '$1');
  return ipaddr.isValid(bare) ? bare : null;
}

export type CheckedUrl =
  | { readonly result: 'valid'; readonly url: string }
  | { readonly result: 'invalid'; readonly reason: string };

/** What can be said of a URL before its name is resolved. */
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
