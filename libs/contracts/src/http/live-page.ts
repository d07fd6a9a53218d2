import { z } from 'zod';
import { defaultLanguage } from '../languages.ts';
import { cursorParameter, languageParameter } from './parameters.ts';

/** Query of GET Live Page. */
export const livePageParameters = z.object({
  language: languageParameter.default(defaultLanguage),
  cursor: cursorParameter.optional(),
});

const asset = z.looseObject({
  appid: z.int(),
  contextid: z.string(),
  assetid: z.string(),
  classid: z.string(),
  instanceid: z.string(),
  amount: z.string(),
});
const description = z.looseObject({
  appid: z.int(),
  classid: z.string(),
  instanceid: z.string(),
});
/** The platform's rows, as they pass through on Live Page and V1. */
export const liveRows = { assets: z.array(asset), descriptions: z.array(description) };

/** `data` of Live Page: one page, read from the platform during the request. */
export const livePage = z.object({
  ...liveRows,
  /** The platform's count of the complete inventory. */
  total_count: z.int().min(0),
  pagination: z.object({
    has_more: z.boolean(),
    /** Absent on the last page. */
    next_cursor: z.string().optional(),
  }),
});
