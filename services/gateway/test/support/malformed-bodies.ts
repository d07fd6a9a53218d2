import type { PublicCode } from '@inventory/contracts/refusal-codes';
import type { MalformedCase } from './malformed-case.ts';

const badBodies: [unknown, PublicCode][] = [
  ['', 'invalid_request'],
  ['{', 'malformed_json'],
  ['{"max_credits":125', 'malformed_json'],
  ["{'max_credits':125}", 'malformed_json'],
  ['{"max_credits":0125}', 'malformed_json'],
  ['{"max_credits":+125}', 'malformed_json'],
  ['{"max_credits":125,}', 'malformed_json'],
  ['undefined', 'malformed_json'],
  ['{"max_credits":NaN}', 'malformed_json'],
  ['\ufeff\ufeff{"max_credits":125}', 'malformed_json'],
  ['max_credits=125', 'malformed_json'],
  [Buffer.from([0xff, 0xfe, 0x7b]), 'malformed_json'],
  [Buffer.from([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d]), 'malformed_json'],
  ['['.repeat(8_000), 'malformed_json'],
  ['['.repeat(8_000) + ']'.repeat(8_000), 'invalid_request'],
  ['null', 'invalid_request'],
  ['[]', 'invalid_request'],
  ['125', 'invalid_request'],
  ['"125"', 'invalid_request'],
  ['true', 'invalid_request'],
  ['{}', 'invalid_request'],
  [{ max_credits: null }, 'invalid_request'],
  [{ max_credits: '125' }, 'invalid_request'],
  [{ max_credits: 125.5 }, 'invalid_request'],
  [{ max_credits: [125] }, 'invalid_request'],
  [{ max_credits: { $gt: 0 } }, 'invalid_request'],
  [{ max_credits: true }, 'invalid_request'],
  ['{"max_credits":1e400}', 'invalid_request'],
  ['{"max_credits":9007199254740993}', 'invalid_request'],
  ['{"max_credits":-1e308}', 'invalid_request'],
  [{ max_credits: 124 }, 'max_credits_too_low'],
  [{ max_credits: 0 }, 'max_credits_too_low'],
  [{ max_credits: -125 }, 'max_credits_too_low'],
  ['{"max_credits":-0}', 'max_credits_too_low'],
  [{ max_credits: 125, language: 'klingon' }, 'invalid_request'],
  [{ max_credits: 125, language: 'en' }, 'invalid_request'],
  [{ max_credits: 125, language: 'English' }, 'invalid_request'],
  [{ max_credits: 125, language: '' }, 'invalid_request'],
  [{ max_credits: 125, language: null }, 'invalid_request'],
  [{ max_credits: 125, language: 7 }, 'invalid_request'],
  [{ max_credits: 125, language: ['english'] }, 'invalid_request'],
  [{ max_credits: 125, language: 'toString' }, 'invalid_request'],
  [{ max_credits: 125, language: '__proto__' }, 'invalid_request'],
  [{ max_credits: 125, extra: 1 }, 'invalid_request'],
  [{ max_credits: 125, Max_Credits: 125 }, 'invalid_request'],
  [{ max_credits: 125, platform_id: '76561198000000001' }, 'invalid_request'],
  ['{"max_credits":125,"__proto__":{"x":1}}', 'invalid_request'],
  ['{"max_credits":125,"constructor":{}}', 'invalid_request'],
  ['x'.repeat(16_385), 'payload_too_large'],
  [Buffer.alloc(1_000_000, 0x20), 'payload_too_large'],
  [JSON.stringify({ max_credits: 125, pad: 'x'.repeat(17_000) }), 'payload_too_large'],
];

/** Bodies of a refresh: no JSON, the wrong fields, too large. */
export function malformedBodies(refresh: string): MalformedCase[] {
  return [
    ...badBodies.map(
      ([body, code], index): MalformedCase => [
        `body ${index}: ${code}`,
        { method: 'POST', path: refresh, body },
        code,
      ],
    ),
  ];
}
