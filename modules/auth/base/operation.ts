import { operationIn } from '../../../core/tools/operation.ts';

export const operation = operationIn('auth');
