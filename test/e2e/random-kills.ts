import type { Program } from './program';
import type { ServiceProcess } from './service-process';

export interface Victim {
  name: string;
  program: Program | ServiceProcess;
}

/**
 * Kills one of the programs with -9 every `everyMs`, in a random order in which each has its turn, and starts it again at
 * once; for `forMs`. Resolves when all of them run again, with how often each was killed.
 */
export async function killAtRandom(
  victims: readonly Victim[],
  { everyMs, forMs }: { everyMs: number; forMs: number },
): Promise<Map<string, number>> {
  const kills = new Map(victims.map(({ name }) => [name, 0]));
  const down = new Set<Victim>();
  const restarts: Promise<void>[] = [];
  const failures: unknown[] = [];
  const end = Date.now() + forMs;
  let turns: Victim[] = [];
  while (Date.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, everyMs * (0.5 + Math.random())));
    if (turns.length === 0) turns = shuffled(victims);
    const victim = turns.find((one) => !down.has(one));
    if (!victim) continue;
    turns.splice(turns.indexOf(victim), 1);
    kills.set(victim.name, (kills.get(victim.name) ?? 0) + 1);
    down.add(victim);
    const restart = killAndStart(victim.program).catch((error: unknown) => void failures.push(error));
    restarts.push(restart.finally(() => down.delete(victim)).then(() => undefined));
  }
  await Promise.all(restarts);
  if (failures.length > 0) throw new AggregateError(failures, 'A killed program did not start again');
  return kills;
}

async function killAndStart(program: Program | ServiceProcess): Promise<void> {
  await program.kill();
  await program.startAgain();
}

function shuffled<Item>(items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, place: Math.random() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ item }) => item);
}
