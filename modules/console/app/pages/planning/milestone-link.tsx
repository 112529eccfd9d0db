import { Link } from 'wouter';

/** The query language takes such a name as it is. */
const quoted = (name: string): string => `"${name.replaceAll(/["\\]/g, '\\$&')}"`;

interface MilestoneLinkProps {
  readonly projectId: number;
  readonly name: string;
}

/** The name of a milestone, as the way to its runs. */
export const MilestoneLink = ({ projectId, name }: MilestoneLinkProps) => (
  <Link href={`/projects/${projectId}/runs?query=${encodeURIComponent(`milestone:${quoted(name)}`)}`}>
    {name}
  </Link>
);
