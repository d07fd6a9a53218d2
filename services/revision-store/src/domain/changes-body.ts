import { type Change, kindOf, rowIn } from './change.ts';
import { joinPieces } from './joined-texts.ts';

/**
 * The members of a page of changes as bytes, in pieces: rows and descriptions as they were saved. Each
 * list is in the order of the changes.
 */
export function changesBody(changes: readonly Change[], descriptions: readonly Buffer[]): Buffer[] {
  const ofKind = (kind: ReturnType<typeof kindOf>) =>
    changes.filter((change) => kindOf(change) === kind);
  const afters = ofKind('added').flatMap(({ after }) => after ?? []);
  const befores = ofKind('removed').flatMap(({ before }) => before ?? []);
  return [
    ...member('"added":[', afters),
    ...member('],"removed":[', befores),
    ...member('],"changed":[', ofKind('changed').map(changedText)),
    ...member('],"descriptions":[', descriptions),
    Buffer.from(']'),
  ];
}

function member(name: string, texts: readonly Buffer[]): Buffer[] {
  return [Buffer.from(name), ...joinPieces(texts)];
}

/** `classid` and `instanceid` as they were, where one of them is another now. */
function changedText({ before, after }: Change): Buffer {
  if (!before || !after) return Buffer.alloc(0);
  const [was, is] = [rowIn(before), rowIn(after)];
  const isOther = was.classid !== is.classid || was.instanceid !== is.instanceid;
  const fields = JSON.stringify({
    amount_before: was.amount,
    ...(isOther ? { classid_before: was.classid, instanceid_before: was.instanceid } : {}),
  });
  return Buffer.concat([Buffer.from('{"asset":'), after, Buffer.from(`,${fields.slice(1)}`)]);
}
