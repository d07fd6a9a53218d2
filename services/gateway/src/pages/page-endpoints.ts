import { currentPage, currentQuery } from '@inventory/contracts/http/current';
import { livePage, livePageParameters } from '@inventory/contracts/http/live-page';
import { pageReadMeta } from '@inventory/contracts/http/meta';
import { idempotencyKey, scopePath } from '@inventory/contracts/http/parameters';
import { v1Inventory, v1Parameters } from '@inventory/contracts/http/v1';
import { z } from 'zod';
import { defineEndpoint } from '../http/endpoint.ts';
import {
  exampleCursor,
  exampleIds,
  exampleRows,
  exampleScope,
  pageMetaExample,
} from '../http/openapi/examples.ts';
import type { V1Dialect } from '../http/v1-dialect.ts';

const keyHeader = z.object({ 'Idempotency-Key': idempotencyKey.optional() });
const replayedHeader = {
  'Idempotency-Replayed': '`true` where the page had been paid under this key before.',
};
const languageHeaders = {
  'X-Description-Language': "The platform's word for the language of the descriptions.",
  'Content-Language': 'Its BCP 47 tag.',
};
const readErrors = [
  'insufficient_credits',
  'insufficient_units',
  'spend_cap_reached',
  'idempotency_conflict',
  'idempotency_in_progress',
  'billing_unavailable',
] as const;
const platformErrors = [
  'inventory_private',
  'inventory_not_found',
  'upstream_unavailable',
  'upstream_timeout',
] as const;

const currentProduct = 'platform.inventory.current.page.v1';

export const readCurrentEndpoint = defineEndpoint({
  operationId: 'readCurrent',
  tag: 'Inventories',
  summary: 'Current',
  description:
    'One page of the latest saved complete inventory; the platform is not contacted. Pages of a ' +
    'chain are of one revision, whatever is saved meanwhile. `total_amount` is exact and may ' +
    'exceed 2^53.',
  method: 'GET',
  template: '/v2/platform/users/{platform_id}/inventory/{app_id}/{context_id}/current',
  permission: currentProduct,
  product: currentProduct,
  input: { path: scopePath, query: currentQuery, header: keyHeader },
  answer: {
    status: 200,
    description: 'The page. Its charge stands once it is delivered.',
    body: { data: currentPage, meta: pageReadMeta },
    example: {
      success: true,
      data: {
        scope: exampleScope,
        revision_id: exampleIds.revision,
        observation_id: exampleIds.observation,
        verified_at: '2026-01-15T10:00:20.000Z',
        age_seconds: 61,
        scan_window: {
          started_at: '2026-01-15T10:00:02.000Z',
          completed_at: '2026-01-15T10:00:20.000Z',
        },
        ...exampleRows,
        total_count: 4_001,
        total_amount: 4_180,
        reported_total_count: 4_001,
        pagination: { has_more: true, next_cursor: exampleCursor },
      },
      meta: { ...pageMetaExample, product_code: currentProduct },
    },
    headers: { ...languageHeaders, ...replayedHeader },
  },
  errors: ['invalid_cursor', 'cursor_expired', 'inventory_revision_not_found', ...readErrors],
});

const pageProduct = 'platform.inventory.page.v1';

export const livePageEndpoint = defineEndpoint({
  operationId: 'readLivePage',
  tag: 'Inventories',
  summary: 'Live Page',
  description:
    'One page, read from the platform during the request. A complete chain of pages, read in ' +
    'order and in time, is saved as a revision that Current reads.',
  method: 'GET',
  template: '/v2/platform/users/{platform_id}/inventory/{app_id}/{context_id}',
  permission: pageProduct,
  product: pageProduct,
  input: { path: scopePath, query: livePageParameters, header: keyHeader },
  answer: {
    status: 200,
    description: 'The page. Its charge stands once it is delivered.',
    body: { data: livePage, meta: pageReadMeta },
    example: {
      success: true,
      data: {
        ...exampleRows,
        total_count: 4_001,
        pagination: { has_more: true, next_cursor: exampleCursor },
      },
      meta: { ...pageMetaExample, product_code: pageProduct },
    },
    headers: { ...languageHeaders, ...replayedHeader },
  },
  errors: ['invalid_cursor', 'cursor_expired', ...platformErrors, ...readErrors],
});

const v1Templates: Readonly<Record<V1Dialect, string>> = {
  original: '/api/v1/inventory/{platform_id}/{app_id}/{context_id}',
  alias: '/v1/platform/inventory/{platform_id}/{app_id}/{context_id}',
};

const original = v1Endpoint('original');
const alias = v1Endpoint('alias');

export const v1PageEndpoints = { original, alias };

function v1Endpoint(dialect: V1Dialect) {
  return defineEndpoint({
    operationId: dialect === 'original' ? 'readV1Page' : 'readV1PageAlias',
    tag: 'Version 1',
    summary: dialect === 'original' ? 'V1 inventory' : 'V1 inventory (alias)',
    description:
      'Deprecated: read a Live Page instead. Pass `last_assetid` as `start_assetid` while ' +
      '`more_items` is set.',
    method: 'GET',
    template: v1Templates[dialect],
    permission: pageProduct,
    product: pageProduct,
    input: { path: scopePath, query: v1Parameters, header: keyHeader },
    dialect,
    answer: {
      status: 200,
      description: 'The page, without an envelope.',
      body: { unwrapped: v1Inventory },
      example: {
        success: 1,
        ...exampleRows,
        total_inventory_count: 4_001,
        more_items: 1,
        last_assetid: '31415926535',
      },
      headers: {
        'X-Credits-Charged': 'What the page cost.',
        'X-Credits-Remaining': 'Credits available after it.',
        ...(dialect === 'original'
          ? { 'X-Api-Credits-Remaining': 'The same as `X-Credits-Remaining`.' }
          : {}),
        'X-Units-Charged': 'Subscription units that the page cost, of accounts funded so.',
        'X-Units-Remaining': 'Subscription units available after it.',
        Deprecation: 'Since when V1 is deprecated (RFC 9745).',
        Link: 'What replaces the route (`rel="successor-version"`).',
        ...replayedHeader,
      },
    },
    errors: [...platformErrors, ...readErrors],
  });
}
