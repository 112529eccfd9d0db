import { Link } from 'wouter';
import { quotedText } from '../../query/quoted-text.ts';

interface MilestoneLinkProps {
  readonly projectId: number;
  readonly name: string;
}

/** The list of the runs of a milestone. */
export const milestoneAddress = ({ projectId, name }: MilestoneLinkProps): string =>
  `/projects/${projectId}/runs?query=${encodeURIComponent(`milestone:${quotedText(name)}`)}`;

/** The name of a milestone, as the way to its runs. */
export const MilestoneLink = (of: MilestoneLinkProps) => <Link href={milestoneAddress(of)}>{of.name}</Link>;
