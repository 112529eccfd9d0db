import { classifications, type Classification } from '../../../testmgmt/rules/classification.ts';

/** The name of a classification at the beginning of a line. */
export function classificationTitle(kind: Classification): string {
  const { singular } = classifications[kind];
  return `${singular.charAt(0).toUpperCase()}${singular.slice(1)}`;
}
