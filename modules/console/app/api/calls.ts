import type { Calls as AuthCalls } from '../../../auth/tools/tool-files.ts';
import type { Calls as CtaCalls } from '../../../cta/tools/tool-files.ts';
import type { Calls as TestmgmtCalls } from '../../../testmgmt/tools/tool-files.ts';
import type { Calls as ConsoleCalls } from '../../tools/tool-files.ts';

/* The types of all operations, from their own declarations. Types only, so that the bundle contains no server code. */

/** Every operation with the types of its input and its output. */
type Calls = AuthCalls & CtaCalls & TestmgmtCalls & ConsoleCalls;

export type ToolName = keyof Calls & string;
export type Input<N extends ToolName> = Calls[N]['input'];
export type Output<N extends ToolName> = Calls[N]['output'];
