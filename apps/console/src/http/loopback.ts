const LOOPBACK_HOSTS: unknown[] = ['localhost', '127.0.0.1', '::1', '[::1]'];

/** Whether only programs of this machine reach the host. False for less usual loopback addresses, such as 127.0.0.2. */
export function isLoopback(host: unknown): boolean {
  return LOOPBACK_HOSTS.includes(host);
}
