import { operationIn } from '../../core/tools/operation.ts';

/** Declares an operation of this module. */
export const operation = operationIn('cta');
