/**
 * The two replies that readiness needs, read by hand: a Kafka client would be a heavy dependency
 * for "does it answer". Each begins with its correlation id. Throws RangeError when cut short.
 */

/** ApiVersions, version 3: fixed-size entries, then the features as tagged fields. */
export function readApiVersions(reply: Buffer): { metadataLevelMax: number | null } {
  const reader = readerOf(reply);
  reader.skip(4);
  const errorCode = reader.int16();
  // An older broker answers in version 0, with this code first: it tells no features.
  if (errorCode !== 0) return { metadataLevelMax: null };
  const apis = reader.varint() - 1;
  for (let api = 0; api < apis; api += 1) {
    reader.skip(6);
    reader.skipTags();
  }
  reader.skip(4);
  const supportedFeatures = reader.tag(0);
  return {
    metadataLevelMax:
      supportedFeatures === null ? null : featureMax(supportedFeatures, 'metadata.version'),
  };
}

/** Metadata, version 6. */
export function readMetadata(reply: Buffer): { brokers: number } {
  const reader = readerOf(reply);
  reader.skip(8);
  return { brokers: reader.int32() };
}

function featureMax(field: Buffer, wanted: string): number | null {
  const reader = readerOf(field);
  const features = reader.varint() - 1;
  for (let feature = 0; feature < features; feature += 1) {
    const name = reader.text(reader.varint() - 1);
    reader.skip(2);
    const max = reader.int16();
    reader.skipTags();
    if (name === wanted) return max;
  }
  return null;
}

interface Reader {
  skip(bytes: number): void;
  int16(): number;
  int32(): number;
  varint(): number;
  text(bytes: number): string;
  skipTags(): void;
  /** The content of one tagged field of the section that begins here; null when it is absent. */
  tag(wanted: number): Buffer | null;
}

function readerOf(bytes: Buffer): Reader {
  let at = 0;
  const take = (length: number): Buffer => {
    if (length < 0 || at + length > bytes.length) throw new RangeError('the reply was cut short');
    at += length;
    return bytes.subarray(at - length, at);
  };
  const varint = (): number => {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = take(1).readUInt8();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
    throw new RangeError('a number in the reply has no end');
  };
  const tag = (wanted: number): Buffer | null => {
    let found: Buffer | null = null;
    const fields = varint();
    for (let field = 0; field < fields; field += 1) {
      const name = varint();
      const content = take(varint());
      if (name === wanted) found = content;
    }
    return found;
  };
  return {
    skip: (length) => void take(length),
    int16: () => take(2).readInt16BE(),
    int32: () => take(4).readInt32BE(),
    varint,
    text: (length) => take(length).toString('utf8'),
    skipTags: () => void tag(-1),
    tag,
  };
}
