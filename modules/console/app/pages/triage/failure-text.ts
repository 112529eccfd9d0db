/** A message of a failure: what was said, and the stack with the frames of the project apart from those of libraries. */
interface FailureText {
  readonly said: string;
  readonly own: readonly string[];
  readonly others: readonly string[];
}

/** A line of a stack of JavaScript, Java, C#, Python, Ruby, Go or PHP. Each reads its line once. */
const frame = /^(?:at\s|File "|from \/|#\d+\s|\.{3} \d+ (?:more|common frames))/;

/** Where the code of others is. */
const library =
  /node_modules|node:|\binternal\/|<anonymous>|\bnative\b|processTicksAndRejections|site-packages|dist-packages|\/lib\/(?:python|ruby)|\/gems\/|\/vendor\/|^at (?:async )?(?:java|javax|jdk|sun|kotlin|scala|org\.(?:junit|testng|gradle|apache|springframework|hamcrest|assertj|mockito)|com\.sun|System|Microsoft|Xunit|NUnit)\.|^\.{3} |\[internal function\]|PHPUnit/;

/** Characters that are looked at: longer messages stay as they are behind them. */
const examined = 20_000;

/** Splits a message, so that the lines which lead to the cause can stand first. */
export function failureText(message: string): FailureText {
  const said: string[] = [];
  const own: string[] = [];
  const others: string[] = [];
  let last: string[] | undefined;
  for (const line of message.slice(0, examined).split('\n')) {
    const text = line.trim();
    if (frame.test(text)) {
      last = library.test(text) ? others : own;
      last.push(text);
    } else if (
      last !== undefined &&
      text !== '' &&
      /^\s{2}/.test(line) &&
      !/^Caused by|^[A-Z]\w*(?:Error|Exception)/.test(text)
    )
      // Python shows the line of code below its frame.
      last.push(`    ${text}`);
    else said.push(line);
  }
  const rest = message.slice(examined);
  return { said: `${said.join('\n').trim()}${rest}`, own, others };
}

/** The frames among the lines of a part of a stack: lines of code below them do not count. */
export const frameCount = (lines: readonly string[]): number =>
  lines.filter((line) => !line.startsWith('    ')).length;
