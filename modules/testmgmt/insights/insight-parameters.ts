import { Type } from '@sinclair/typebox';
import { projectId, queryText } from '../base/parameters.ts';

/** The parameters of an insight about tests. */
export const narrowed = {
  projectId,
  query: Type.Optional(queryText('Narrows the tests, as in get-tests.')),
};

/** How far an insight looks back. */
export const days = (usual: number) =>
  Type.Optional(
    Type.Integer({ minimum: 1, maximum: 400, default: usual, description: 'How many days to look back.' }),
  );
