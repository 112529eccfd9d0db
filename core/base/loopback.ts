/** Names of the local machine in a Host header. */
export const loopbackHosts = ['localhost', '127.0.0.1', '[::1]'];

/** Whether an address or the host of a URL reaches only the local machine: localhost, 127.0.0.0/8 (RFC 1122 §3.2.1.3), ::1. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host);
