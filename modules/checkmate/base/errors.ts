import { coreErrors, defineErrors, type FaultKind } from '../../../core/base/errors.ts';

export const checkmateErrors = {
  CHECKMATE_NO_ROUTE: {
    status: 404,
    tip: 'docs/checkmate.md lists the paths of Checkmate that are served; POST /api/tools/{name} has everything else.',
  },
  CHECKMATE_EXISTS: {
    status: 409,
    tip: 'Use the existing one, or another name; nothing was written.',
  },
  CHECKMATE_LOCKED: {
    status: 423,
    tip: 'Use create-run for a new run, or ask an administrator to use unlock-run.',
  },
  CHECKMATE_UNSUPPORTED: {
    status: 400,
    tip: 'docs/checkmate.md says what differs from Checkmate.',
  },
} as const satisfies Record<string, FaultKind>;

/** Creates the errors of this module and those of the kernel. */
export const fail = defineErrors({ ...coreErrors, ...checkmateErrors });
