import type { ToolName as AuthToolName } from '../modules/auth/tools/tool-files.ts';
import type { ToolName as ConsoleToolName } from '../modules/console/tools/tool-files.ts';
import type { ToolName as CtaToolName } from '../modules/cta/tools/tool-files.ts';
import type { ToolName as TestmgmtToolName } from '../modules/testmgmt/tools/tool-files.ts';

/* The names of all tools, for tables that must have a row for each: a missing one does not compile. */

export type OtherToolName = AuthToolName | CtaToolName | ConsoleToolName;
export type ToolName = OtherToolName | TestmgmtToolName;
