const armed = new Map(
  (process.env['BATUTA_FAULT'] ?? '')
    .split(',')
    .filter(Boolean)
    .map((point): [string, number] => {
      const [name = '', pass = '1'] = point.split('@');
      return [name, Number(pass)];
    }),
);

/**
 * A named place at which tests kill the process as hard as a power cut would. Only points listed in `BATUTA_FAULT` are
 * armed: `name` at its first pass, `name@3` at the third. Without that setting this does nothing.
 */
export function faultPoint(name: string): void {
  const left = armed.get(name);
  if (left === undefined) return;
  if (left > 1) armed.set(name, left - 1);
  else process.kill(process.pid, 'SIGKILL');
}
