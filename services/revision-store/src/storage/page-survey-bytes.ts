import type { PageSurvey } from '../domain/page-survey.ts';

/** Another form has another number: a survey in a form that is unknown here is made anew. */
const form = 1;

/**
 * A page survey as bytes: its numbers, its identities, then the other texts, one a line. None of
 * these holds a line break: keys are in JSON, amounts are digits, digests base64.
 */
export function toSurveyBytes(survey: PageSurvey): Buffer {
  const { identities, amounts, keys, descriptionTexts } = survey;
  const numbers = [
    Uint32Array.of(form, amounts.length, descriptionTexts.length, keys.length),
    survey.assetTexts,
    survey.assets,
    survey.descriptions,
    survey.assetKeys,
    survey.descriptionKeys,
    identities.ends,
    identities.bytes,
  ];
  const text = [amounts, keys, descriptionTexts].flat().join('\n');
  return Buffer.concat([
    ...numbers.map((some) => Buffer.from(some.buffer, some.byteOffset, some.byteLength)),
    Buffer.from(text),
  ]);
}

/** Null where it is of another form. */
export function fromSurveyBytes(bytes: Buffer): PageSurvey | null {
  // A copy, whose numbers are aligned.
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
  let at = 0;
  const uint32 = (count: number) => {
    const numbers = new Uint32Array(buffer, at, count);
    at += numbers.byteLength;
    return numbers;
  };
  if (uint32(1)[0] !== form) return null;
  const [assets = 0, descriptions = 0, keys = 0] = uint32(3);
  const assetTexts = new Float64Array(buffer, at, assets);
  at += assetTexts.byteLength;
  const numbers = {
    assetTexts,
    assets: uint32(2 * assets),
    descriptions: uint32(2 * descriptions),
    assetKeys: uint32(assets),
    descriptionKeys: uint32(descriptions),
  };
  const ends = uint32(assets);
  const texts = at + (ends.at(-1) ?? 0);
  const identities = { bytes: new Uint8Array(buffer, at, texts - at), ends };
  const lines = bytes.toString('utf8', texts).split('\n');
  const take = (count: number) => lines.splice(0, count);
  return {
    ...numbers,
    identities,
    amounts: take(assets),
    keys: take(keys),
    descriptionTexts: take(descriptions),
  };
}
