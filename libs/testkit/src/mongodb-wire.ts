import { BSON, type Document } from 'mongodb';

/** Messages of MongoDB's protocol: OP_MSG, and OP_QUERY with OP_REPLY for the first of a connection. */
const opCodes = { reply: 1, query: 2_004, message: 2_013 } as const;
const headerBytes = 16;
/** Numbers keep the types in which they are stored. */
const deserialize = (bytes: Buffer): Document => BSON.deserialize(bytes, { promoteValues: false });
const moreToComeFlag = 2;
const exhaustAllowedFlag = 1 << 16;

/** A command as its client sent it. */
export interface ReceivedCommand {
  readonly requestId: number;
  /** With the documents of a batch. */
  readonly command: Document;
  /** Whether several replies may follow each other. */
  readonly exhaustAllowed: boolean;
  readonly isQuery: boolean;
}

/** Calls back with each whole message of a connection. */
export function createMessageReader(onMessage: (message: Buffer) => void): (chunk: Buffer) => void {
  let held = Buffer.alloc(0);
  return (chunk) => {
    held = Buffer.concat([held, chunk]);
    while (held.length >= headerBytes && held.length >= held.readInt32LE(0)) {
      const message = held.subarray(0, held.readInt32LE(0));
      held = held.subarray(message.length);
      onMessage(message);
    }
  };
}

export function readCommand(message: Buffer): ReceivedCommand {
  const isQuery = message.readInt32LE(12) === opCodes.query;
  const flags = message.readInt32LE(headerBytes);
  const at = isQuery ? message.indexOf(0, headerBytes + 4) + 9 : headerBytes + 5;
  const end = at + message.readInt32LE(at);
  return {
    requestId: message.readInt32LE(4),
    command: { ...deserialize(message.subarray(at, end)), ...sequences(message, end) },
    exhaustAllowed: !isQuery && (flags & exhaustAllowedFlag) !== 0,
    isQuery,
  };
}

/** The batches of a command by their names, from an offset of its message on. */
function sequences(message: Buffer, from: number): Record<string, Document[]> {
  const found: Record<string, Document[]> = {};
  for (let at = from; at < message.length; ) {
    const end = at + 1 + message.readInt32LE(at + 1);
    const nameEnd = message.indexOf(0, at + 5);
    const documents: Document[] = [];
    for (let next = nameEnd + 1; next < end; next += message.readInt32LE(next)) {
      documents.push(deserialize(message.subarray(next, next + message.readInt32LE(next))));
    }
    found[message.toString('utf8', at + 5, nameEnd)] = documents;
    at = end;
  }
  return found;
}

export function commandMessage({ requestId, command }: ReceivedCommand): Buffer {
  return withHeader(opCodes.message, requestId, 0, [Buffer.alloc(5), BSON.serialize(command)]);
}

interface ReplySettings extends Pick<ReceivedCommand, 'requestId' | 'isQuery'> {
  readonly moreToCome?: boolean;
}

export function replyMessage(
  { requestId, isQuery, moreToCome = false }: ReplySettings,
  reply: Document,
): Buffer {
  const document = BSON.serialize(reply, { ignoreUndefined: true });
  if (isQuery) {
    const fields = Buffer.alloc(20);
    fields.writeInt32LE(1, headerBytes);
    return withHeader(opCodes.reply, requestId, requestId, [fields, document]);
  }
  const flags = Buffer.alloc(5);
  flags.writeInt32LE(moreToCome ? moreToComeFlag : 0);
  return withHeader(opCodes.message, requestId, requestId, [flags, document]);
}

/** The request of a reply of the server, and its document. */
export function readReply(message: Buffer): {
  readonly requestId: number;
  readonly reply: Document;
} {
  const isReply = message.readInt32LE(12) === opCodes.reply;
  const reply = deserialize(message.subarray(headerBytes + (isReply ? 20 : 5)));
  return { requestId: message.readInt32LE(8), reply };
}

function withHeader(
  opCode: number,
  requestId: number,
  responseTo: number,
  parts: readonly Uint8Array[],
): Buffer {
  const header = Buffer.alloc(headerBytes);
  const message = Buffer.concat([header, ...parts]);
  message.writeInt32LE(message.length, 0);
  message.writeInt32LE(requestId, 4);
  message.writeInt32LE(responseTo, 8);
  message.writeInt32LE(opCode, 12);
  return message;
}
