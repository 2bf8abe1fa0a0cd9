const ARMED_POINTS = new Map(
  (process.env['BATUTA_FAULT'] ?? '')
    .split(',')
    .filter(Boolean)
    .map((point): [string, number] => {
      const [name = '', pass = '1'] = point.split('@');
      return [name, Number(pass)];
    }),
);

/**
 * A named point in the code at which tests kill the process with SIGKILL. The variable `BATUTA_FAULT` arms points, separated by
 * commas: `name` kills at the first call, `name@3` at the third. Points that are not armed do nothing.
 */
export function faultPoint(name: string): void {
  const remaining = ARMED_POINTS.get(name);
  if (remaining === undefined) return;
  if (remaining > 1) ARMED_POINTS.set(name, remaining - 1);
  else process.kill(process.pid, 'SIGKILL');
}
