import { newRefreshId } from '@inventory/testkit/builders';
import { casesOf, type MalformedCase, pathsOf } from './malformed-case.ts';

const badPlatformIds = [
  '1',
  '7656119800000000',
  '765611980000000011',
  '7656119800000000a',
  '-7656119800000000',
  '+7656119800000000',
  '7656119800000000.',
  '7.6561198000000e16',
  '0x110000100000001',
  '%20',
  '７６５６１１９８０００００００００１',
  '76561198000000001%00',
  '76561198000000001%0a',
  ' 76561198000000001',
  '%37%36',
  '%ff%fe',
  '%zz',
  '%',
  'null',
  'undefined',
  '..%2f..%2fetc',
  "1'%20or%20'1'='1",
  '%3Cscript%3E',
].map((id) => encodeBlank(id));
const badNumbers = [
  '0',
  '00',
  '01',
  '-1',
  '+1',
  '1.0',
  '1e3',
  '0x1',
  '',
  '%20',
  '%00',
  'NaN',
  'Infinity',
  'one',
  '%D9%A1',
  '4294967296',
  '9007199254740993',
  '99999999999999999999',
  '1%2C000',
  '1_000',
  '%zz',
  '1%20',
];
const badRefreshIds = [
  '1',
  'not-a-uuid',
  `{${newRefreshId()}}`,
  newRefreshId().replaceAll('-', ''),
  `${newRefreshId()}0`,
  `${newRefreshId()}%00`,
  '%ff',
  '%zz',
  '%2e%2e',
  '00000000-0000-0000-0000-00000000000g',
  'null',
  "'%20or%201=1--",
];
const badProjectIds = [
  'prj_',
  'prj_1',
  newRefreshId(),
  `acc_${newRefreshId()}`,
  `PRJ_${newRefreshId()}`,
  `prj_${newRefreshId()}%20`,
  '%zz',
];

/** Ids and numbers in paths, paths and methods that nothing answers to. */
export function malformedAddresses(platformId: string): MalformedCase[] {
  const { current, refresh } = pathsOf(platformId);
  const inventory = `/v2/platform/users/${platformId}/inventory`;
  const numbers = badNumbers.filter((id) => id !== '');
  const paths = [
    '/v2',
    '/v2/',
    '//v2',
    '/v1/anything',
    '/v2/platform',
    `${current}/`,
    `${current}/x`,
    `/V2${current.slice(3)}`,
    '/v2/platform/users//inventory/730/2/current',
    '/v2/platform/inventory-refreshes/',
    '/v2/../v2',
    '/operator/v1/accounts',
    '/metrics',
    '/livez',
    '/readyz',
    '/.env',
    '/%2e%2e/x',
    `${current}%2fx`,
    '/v2/platform/inventory-refreshes/batch/x',
  ];
  return [
    ...casesOf('invalid_request', badPlatformIds, (id) => ({
      what: `platform_id ${id}`,
      path: `/v2/platform/users/${id}/inventory/730/2/current`,
    })),
    ...casesOf('invalid_request', numbers, (id) => ({
      what: `app_id ${id}`,
      path: `${inventory}/${id}/2/current`,
    })),
    ...casesOf('invalid_request', [...numbers, '2147483648'], (id) => ({
      what: `context_id ${id}`,
      path: `${inventory}/730/${id}/current`,
    })),
    ...casesOf('invalid_request', badRefreshIds, (id) => ({
      what: `refresh_id ${id}`,
      path: `/v2/platform/inventory-refreshes/${id}`,
    })),
    ...casesOf('invalid_request', badRefreshIds, (id) => ({
      ...{ what: `cancel of ${id}`, method: 'POST' },
      path: `/v2/platform/inventory-refreshes/${id}/cancel`,
    })),
    ...casesOf('invalid_request', badProjectIds, (id) => ({
      what: `project_id ${id}`,
      path: `/v2/projects/${id}/inventory-refreshes`,
    })),
    ...casesOf('route_not_found', paths, (path) => ({ what: `path ${path}`, path })),
    ...casesOf(
      'method_not_allowed',
      ['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'POST', 'PROPFIND'],
      (method) => ({ what: `${method} Current`, method, path: current }),
    ),
    ...casesOf('method_not_allowed', ['GET', 'PUT', 'DELETE'], (method) => ({
      ...{ what: `${method} Refresh`, method, path: refresh },
    })),
  ];
}

/** Blanks cannot stand in a request line. */
function encodeBlank(text: string): string {
  return text.replaceAll(' ', '%20').replace(/[^\x21-\x7e]/g, encodeURIComponent);
}
