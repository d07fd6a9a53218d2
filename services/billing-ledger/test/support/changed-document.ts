import fc from 'fast-check';
import type { Sealed } from '../../src/journal/sealed-mapping.ts';

export type Change = <Document extends Sealed>(document: Document) => Document;

/** Flips bits of one byte of the content. */
export const flipContent =
  (at: number, flip: number): Change =>
  (document) => {
    const content = Buffer.from(document.content);
    const index = at % content.length;
    content.writeUInt8(content.readUInt8(index) ^ flip, index);
    return { ...document, content };
  };

/** Changes, removes or adds one of the other fields. */
const changeField =
  (which: number, how: 'changed' | 'removed' | 'added'): Change =>
  (document) => {
    if (how === 'added') return { ...document, [`note${which}`]: which };
    const { content: _, ...fields } = document;
    const name = Object.keys(fields)[which % Object.keys(fields).length] ?? '';
    const { [name]: value, ...others } = document as Record<string, unknown>;
    return (how === 'removed' ? others : { ...others, [name]: another(value) }) as never;
  };

function another(value: unknown): unknown {
  if (typeof value === 'number') return value + 1;
  if (Array.isArray(value)) return value.slice(1);
  return `${value}0`;
}

/** Any change of anything that a document stores. */
export const changes: fc.Arbitrary<Change> = fc.oneof(
  fc.tuple(fc.nat(), fc.integer({ min: 1, max: 255 })).map(([at, flip]) => flipContent(at, flip)),
  fc
    .tuple(fc.nat({ max: 11 }), fc.constantFrom('changed', 'removed', 'added'))
    .map(([which, how]) => changeField(which, how)),
);
