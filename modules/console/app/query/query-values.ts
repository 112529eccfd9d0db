import type { useMetadata } from '../api/metadata.ts';

/** The names of a project that may follow a field of a query about tests. */
export const queryValues = ({ labels, squads, ofKind }: ReturnType<typeof useMetadata>) => {
  const namesOf = (values: ReadonlyArray<{ readonly name: string }>) => values.map(({ name }) => name);
  return {
    label: namesOf(labels),
    squad: namesOf(squads),
    priority: namesOf(ofKind('priority')),
    type: namesOf(ofKind('type')),
    automation: namesOf(ofKind('automationStatus')),
    platform: namesOf(ofKind('platform')),
  };
};
