import type { QueryRunner } from 'typeorm';

/** Runs a migration whose statements after the first `allowed` ones fail, as if the process had ended there. Returns whether any failed. */
export async function migrateUntilCutOff(
  allowed: number,
  runner: QueryRunner,
  migrate: (runner: QueryRunner) => Promise<void>,
): Promise<boolean> {
  const query = runner.query.bind(runner);
  let left = allowed;
  const queryWhileAllowed = (...statement: Parameters<typeof query>) => {
    left -= 1;
    return left < 0 ? Promise.reject(new Error('cut off')) : query(...statement);
  };
  return migrate(Object.assign(runner, { query: queryWhileAllowed })).then(
    () => false,
    () => true,
  );
}
