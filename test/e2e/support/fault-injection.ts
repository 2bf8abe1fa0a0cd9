import type { Program } from './program';
import type { ServiceProcess } from './service-process';

export interface Victim {
  name: string;
  program: Program | ServiceProcess;
}

/** Something that befalls a program; it resolves when the program works again. */
export type Fault = (program: Victim['program']) => Promise<void>;

export const killed: Fault = async (program) => {
  await program.kill();
  await program.startAgain();
};

const LEAST_HANG_MS = 1_000;
const MOST_HANG_MS = 20_000;
/** Of the routers' sessions: a hang may be longer, but no machine that is merely slow stands still for so long. */
export const LEASE = { LEASE_SECONDS: String(MOST_HANG_MS / 1_000) };

/** Keeps its connections and its locks, and goes on later as if nothing had been: beyond its lease or within it. */
export const hung: Fault = async (program) => {
  program.pause();
  await pause(LEAST_HANG_MS + Math.random() * (MOST_HANG_MS - LEAST_HANG_MS));
  program.resume();
};

/**
 * Every `everyMs` a fault befalls one of the programs, in a random order in which each has its turn; for `forMs`, and until
 * each has had one.
 * Resolves when all of them work again, with how often each had it.
 */
export async function atRandom(
  fault: Fault,
  victims: readonly Victim[],
  { everyMs, forMs }: { everyMs: number; forMs: number },
): Promise<Map<string, number>> {
  const times = new Map(victims.map(({ name }) => [name, 0]));
  const down = new Set<Victim>();
  const recoveries: Promise<void>[] = [];
  const failures: unknown[] = [];
  const end = Date.now() + forMs;
  let turns: Victim[] = [];
  while (Date.now() < end || [...times.values()].includes(0)) {
    await pause(everyMs * (0.5 + Math.random()));
    if (turns.length === 0) turns = shuffled(victims);
    const victim = turns.find((one) => !down.has(one));
    if (!victim) continue;
    turns.splice(turns.indexOf(victim), 1);
    times.set(victim.name, (times.get(victim.name) ?? 0) + 1);
    down.add(victim);
    const recovery = fault(victim.program).catch((error: unknown) => void failures.push(error));
    recoveries.push(recovery.finally(() => down.delete(victim)));
  }
  await Promise.all(recoveries);
  if (failures.length > 0) throw new AggregateError(failures, 'A program did not recover');
  return times;
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

function shuffled<Item>(items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, place: Math.random() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ item }) => item);
}
