import type { Output } from '../../api/calls.ts';

export type FailureGroup = Output<'get-failure-groups'>['groups'][number];

/** The query that chooses its tests. */
export const queryOfGroup = ({ groupId }: Pick<FailureGroup, 'groupId'>): string =>
  `group:${groupId ?? 'none'}`;

type Link = Output<'list-links'>['links'][number];

/** The defects of the named tests of a group, each once. */
export function defectsOfGroup(
  { first }: Pick<FailureGroup, 'first'>,
  links: ReadonlyArray<Pick<Link, 'linkId' | 'testId' | 'key' | 'url'>>,
) {
  const ids = new Set(first.map(({ testId }) => testId));
  const byKey = new Map(links.flatMap((link) => (ids.has(link.testId) ? [[link.key, link] as const] : [])));
  return [...byKey.values()];
}
