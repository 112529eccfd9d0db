import { words } from '../../../core/base/schema.ts';
import { classifications, everyClassification, type Classification } from '../rules/classification.ts';

/** The lists of names that describe tests. */
export const metadataKinds = [...everyClassification, 'label', 'squad'] as const;
export type MetadataKind = (typeof metadataKinds)[number];

export const kindParameter = words(metadataKinds, { description: 'Which list.' });

const isClassification = (kind: MetadataKind): kind is Classification => kind !== 'label' && kind !== 'squad';

/** The tool that lists the names of a kind. */
export const listedBy = (kind: MetadataKind): string =>
  isClassification(kind) ? classifications[kind].tool : `get-${kind}s`;
