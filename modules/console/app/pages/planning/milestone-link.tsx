import { Link } from 'wouter';
import { quotedText } from '../../query/quoted-text.ts';

interface MilestoneLinkProps {
  readonly projectId: number;
  readonly name: string;
}

/** The name of a milestone, as the way to its runs. */
export const MilestoneLink = ({ projectId, name }: MilestoneLinkProps) => (
  <Link href={`/projects/${projectId}/runs?query=${encodeURIComponent(`milestone:${quotedText(name)}`)}`}>
    {name}
  </Link>
);
