import ipaddr from 'ipaddr.js';

/**
 * CIDR allow-list: a client must be in one of its networks. Account, Project, Service
 * account and Credential may each have one; the client must pass all of them.
 */
export type NetworkPolicy = readonly string[];

/** Largest number of networks of one policy. */
export const networkPolicyEntriesMax = 100;

type ParsedNetwork =
  | { readonly result: 'valid'; readonly network: string }
  | { readonly result: 'invalid'; readonly reason: string };

/**
 * One network in canonical form. A single address is a network of its own; an IPv4-mapped IPv6
 * network becomes its IPv4 network; bits beyond the prefix are refused as ambiguous.
 */
export function parseNetwork(text: string): ParsedNetwork {
  const [addressText = '', prefixText, ...rest] = text.split('/');
  const address = parseAddress(addressText);
  if (address === null || rest.length > 0) return invalid('is not an IPv4 or IPv6 network');
  const bits = address.kind() === 'ipv4' ? 32 : 128;
  const given = prefixText === undefined ? bits : prefixOf(prefixText);
  if (given > bits) return invalid(`has no prefix length from 0 to ${bits}`);
  const { address: plain, prefix } = unmapped(address, given);
  const network = `${networkAddress(plain, prefix)}/${prefix}`;
  if (networkAddress(plain, prefix) === textOf(plain)) return { result: 'valid', network };
  return invalid(`has address bits beyond its prefix; the network is ${network}`);
}

/**
 * Whether a client at this address passes every policy. An address that cannot be parsed passes
 * none; without a policy every client passes.
 */
export function allowsAddress(policies: readonly NetworkPolicy[], clientAddress: string): boolean {
  if (policies.length === 0) return true;
  const address = parseClientAddress(clientAddress);
  if (address === null) return false;
  return policies.every((policy) => compiled(policy).some((network) => contains(network, address)));
}

/** False for what no policy can allow. */
export function isAddress(clientAddress: string): boolean {
  return parseClientAddress(clientAddress) !== null;
}

/** Prefixes of the IPv6 addresses that one client can take at will: of a link, and of a site. */
const prefixesOfClient = [64, 48];

/** Times the limit of a client that each of its networks has: a site may be an office or a carrier. */
export const limitFactors = [1, 8];

/**
 * What a limit per client counts by: its IPv4 address, or its /64 and /48 of IPv6. Who has a /48 has
 * more /64s than can be counted.
 */
export function peerNetworksOf(clientAddress: string): readonly string[] {
  const address = parseClientAddress(clientAddress);
  if (address === null) return ['unknown'];
  if (address.kind() === 'ipv4') return [textOf(address)];
  return prefixesOfClient.map((prefix) => `${networkAddress(address, prefix)}/${prefix}`);
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Network = readonly [Address, number];

/** Policies are cached with their Principal; each is parsed once. */
const compiledPolicies = new WeakMap<NetworkPolicy, readonly Network[]>();

function compiled(policy: NetworkPolicy): readonly Network[] {
  const known = compiledPolicies.get(policy);
  if (known) return known;
  const networks = policy.map((network): Network => ipaddr.parseCIDR(network));
  compiledPolicies.set(policy, networks);
  return networks;
}

function contains([network, prefix]: Network, address: Address): boolean {
  return network.kind() === address.kind() && address.match(network, prefix);
}

/** Longest text of an IPv6 address, with an IPv4 address at its end. */
const addressCharactersMax = 45;

/** No zones, and IPv4 in four decimal parts only: shorter and octal forms are ambiguous. */
function parseAddress(text: string): Address | null {
  if (text.length > addressCharactersMax) return null;
  const dotted = text.slice(text.lastIndexOf(':') + 1);
  if (dotted.includes('.') && !ipaddr.IPv4.isValidFourPartDecimal(dotted)) return null;
  if (dotted === text) return dotted.includes('.') ? ipaddr.IPv4.parse(dotted) : null;
  return !text.includes('%') && ipaddr.IPv6.isValid(text) ? ipaddr.IPv6.parse(text) : null;
}

/** The zone of an interface does not matter, nor whether the socket was a dual-stack one. */
function parseClientAddress(text: string): Address | null {
  const parsed = parseAddress(text.split('%', 1)[0] ?? '');
  return parsed && unmapped(parsed, bitsOf(parsed)).address;
}

/** A dual-stack socket reports IPv4 clients as `::ffff:192.0.2.1`. */
function unmapped(address: Address, prefix: number): { address: Address; prefix: number } {
  if (!(address instanceof ipaddr.IPv6) || !address.isIPv4MappedAddress() || prefix < 96) {
    return { address, prefix };
  }
  return { address: address.toIPv4Address(), prefix: prefix - 96 };
}

function networkAddress(address: Address, prefix: number): string {
  const cidr = `${textOf(address)}/${prefix}`;
  return address instanceof ipaddr.IPv6
    ? ipaddr.IPv6.networkAddressFromCIDR(cidr).toRFC5952String()
    : ipaddr.IPv4.networkAddressFromCIDR(cidr).toString();
}

function textOf(address: Address): string {
  return address instanceof ipaddr.IPv6 ? address.toRFC5952String() : address.toString();
}

function bitsOf(address: Address): number {
  return address.kind() === 'ipv4' ? 32 : 128;
}

function prefixOf(text: string): number {
  return /^(0|[1-9][0-9]{0,2})$/.test(text) ? Number(text) : Number.POSITIVE_INFINITY;
}

function invalid(reason: string): ParsedNetwork {
  return { result: 'invalid', reason };
}
