import { connect } from 'node:net';

/** Sends these bytes to a port of this machine and returns everything received until the connection ends. */
export function sendBytes(bytes: string, port: number): Promise<string> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(Buffer.from(bytes, 'latin1')));
    socket.on('data', (chunk) => void (answer += chunk.toString('latin1')));
    socket.on('error', () => resolve(answer));
    socket.on('close', () => resolve(answer));
    socket.setTimeout(20_000, () => socket.destroy());
  });
}

/** The bytes of a GET with these header lines. */
export const getBytes = (path: string, lines: readonly string[], host = 'Host: localhost'): string =>
  [`GET ${path} HTTP/1.1`, ...(host === '' ? [] : [host]), 'Connection: close', ...lines, '', ''].join(
    '\r\n',
  );

export const statusOf = (answer: string) => Number(answer.split(' ')[1]);
