const armed = new Set((process.env['BATUTA_FAULT'] ?? '').split(',').filter(Boolean));

/**
 * A named place at which tests kill the process as hard as a power cut would. Only points listed in `BATUTA_FAULT` are
 * armed; without that setting this does nothing.
 */
export function faultPoint(name: string): void {
  if (armed.has(name)) process.kill(process.pid, 'SIGKILL');
}
