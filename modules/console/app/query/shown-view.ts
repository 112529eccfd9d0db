import type { Output } from '../api/calls.ts';

/** A query under a name that this person sees. */
export type ShownView = Output<'list-views'>['views'][number];
