import { holdsUnsaved, leaveAndComeBack } from './unsaved.ts';
import { tellSignedOut } from './signed-out.ts';
import type { Input, Output, ToolName } from './calls.ts';
import { t } from '../texts/text.ts';

/** The error response of a server. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly causeWord: string | undefined;
  readonly tip: string | undefined;
  constructor(status: number, body: RefusalBody) {
    super(body.message);
    this.status = status;
    this.code = body.code;
    this.causeWord = body.cause;
    this.tip = body.tip;
  }
}

/** Whether the server refused a call with this code. */
export const isRefused = (error: unknown, code: string): boolean =>
  error instanceof Refusal && error.code === code;

/** The server cannot be reached: the request may be repeated. */
export class Unreachable extends Error {
  constructor() {
    super(t('The server cannot be reached.'));
  }
}

interface RefusalBody {
  readonly code: string;
  readonly message: string;
  readonly cause?: string;
  readonly tip?: string;
}

/** Whom this page shows; null until it knows. */
let person: number | null = null;

/** From the first answer on, this page speaks for this person only: another may sign in in another tab. */
export const speakFor = (userId: number): void => void (person ??= userId);

/** The header of every request, so that no other page can send one (core/http/caller/page-caller.ts). */
const pageHeaders = () => ({ 'x-trivet-console': person === null ? '1' : `user ${person}` });

/** The sign-in page, with the address to return to. */
export const signInAddress = (): string =>
  `/console/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`;

/** Whether a request was refused because the session has ended. */
export const isSignedOutError = (error: unknown): boolean => error instanceof Refusal && error.status === 401;

/** Goes to the sign-in page. What is typed is there again afterwards. */
export const signInAgain = (): void => leaveAndComeBack(signInAddress());

/** Sends a request as this page. @throws Refusal, Unreachable. */
export async function send(path: string, init: RequestInit = {}): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(path, { ...init, headers: { ...pageHeaders(), ...init.headers } });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new Unreachable();
  }
  if (response.ok) {
    // They may have signed in in another tab.
    tellSignedOut(false);
    return response;
  }
  const body = (await response.json().catch(() => null)) as { error?: RefusalBody } | null;
  const refusal = new Refusal(
    response.status,
    body?.error ?? {
      code: 'UNKNOWN',
      message: t('The server answered {status}.', { status: response.status }),
    },
  );
  if (refusal.status === 401) {
    // A redirect would take a person away from what they type: the page says that they are signed out.
    if (holdsUnsaved()) tellSignedOut(true);
    else location.assign(signInAddress());
  }
  throw refusal;
}

const post = (tool: string, input: object, signal?: AbortSignal): Promise<Response> =>
  send(`/api/tools/${tool}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(input),
    ...(signal && { signal }),
  });

/** Calls a tool. @throws Refusal, Unreachable. */
export async function call<N extends ToolName>(
  tool: N,
  input: Input<N>,
  signal?: AbortSignal,
): Promise<Output<N>> {
  return (await (await post(tool, input as object, signal)).json()) as Output<N>;
}

/** Saves the file returned by a tool. @throws Refusal, Unreachable. */
export async function download<N extends ToolName>(tool: N, input: Input<N>): Promise<void> {
  await save(await post(tool, input as object));
}

/** Saves the body of a response as a file, under the name that the server gave it. */
export async function save(response: Response, fallback = 'download'): Promise<void> {
  const [, name] = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '') ?? [];
  const url = URL.createObjectURL(await response.blob());
  const link = document.createElement('a');
  link.href = url;
  link.download = name ?? fallback;
  link.click();
  // By then the browser has started to read it.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
