import { connect } from 'node:net';

/** A response as it came over the wire. */
interface RawAnswer {
  readonly status: number;
  readonly headers: string;
  readonly body: string;
}

/**
 * A GET with exactly these header lines: a client library would tidy up, join or refuse what an attacker sends.
 * @param lines each as text of which every character is one byte.
 */
export function rawGet(origin: string, path: string, lines: readonly string[]): Promise<RawAnswer> {
  const { hostname, port, host } = new URL(origin);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let answer = '';
    socket.setEncoding('latin1');
    socket.on('data', (chunk) => void (answer += String(chunk)));
    socket.on('error', reject);
    socket.on('close', () => {
      const [head = '', ...rest] = answer.split('\r\n\r\n');
      resolve({ status: Number(head.split(' ')[1]), headers: head, body: rest.join('\r\n\r\n') });
    });
    const head = [`GET ${path} HTTP/1.1`, `Host: ${host}`, 'Connection: close', ...lines, '', ''];
    socket.write(Buffer.from(head.join('\r\n'), 'latin1'));
  });
}
