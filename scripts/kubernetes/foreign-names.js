'use strict';

/** Names in rendered resources of what is outside of them: each has to be a value of the installation. */
const cluster = ['kube-system', 'openshift-dns'];
/** DNS of a node, everything public, and what is not. */
const knownNetworks = [
  '169.254.20.10/32',
  '0.0.0.0/0',
  '::/0',
  ...['10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
  ...['192.168.0.0/16', '::1/128', 'fc00::/7', 'fe80::/10'],
];
const keys = [
  'cidr',
  'gatewayClassName',
  'hostname',
  'hostnames',
  'host',
  'hosts',
  'ingressClassName',
  'image',
  'kubernetes.io/metadata.name',
];

function foreignNames(resources) {
  const own = resources
    .filter(({ kind }) => kind === 'Service')
    .map(({ metadata }) => metadata.name);
  const found = new Set();
  const add = (name) => {
    if (!own.includes(name) && !cluster.includes(name) && !knownNetworks.includes(name))
      found.add(name);
  };
  for (const resource of resources) visit(resource, '', add);
  return [...found];
}

function visit(value, key, add) {
  if (Array.isArray(value)) for (const one of value) visit(one, key, add);
  else if (typeof value === 'object' && value !== null)
    for (const [inner, one] of Object.entries(value)) visit(one, inner, add);
  else if (typeof value === 'string') {
    if (keys.includes(key) && value !== '0.0.0.0') add(value);
    else for (const address of addressesOf(value)) add(address);
  }
}

/** Hosts of URLs and of `host:port`, and networks. */
function addressesOf(text) {
  if (/[\s(){}"]/.test(text)) return [];
  return text.split(',').flatMap((part) => {
    const [, host] = /^(?:https?:\/\/)?([a-z0-9.-]+):\d+(?:\/|$)/.exec(part) ?? [];
    const [, named] = /^https?:\/\/([^/:]+)(?:\/|$)/.exec(part) ?? [];
    const [network] = /^[\da-f.:]+\/\d+$/.exec(part) ?? [];
    return [host ?? named ?? network].filter((one) => one !== undefined);
  });
}

module.exports = { foreignNames };
