import { Type, type TLiteral } from '@sinclair/typebox';
import { closed } from '../../../core/base/schema.ts';

const id = Type.Integer();

/** The result of a tool that deletes one record. */
export const deletedRecord = <K extends string>(key: K) =>
  Type.Object(
    { [key]: id, deleted: Type.Literal(true) } as Record<K, typeof id> & { deleted: TLiteral<true> },
    closed,
  );
