import { hashSecret } from '@batuta/auth';
import type { Caller } from '@batuta/contracts';
import { requireText, type ConsoleCaller, type TestPerson, type ConsoleWorld } from './world';

/** A flow without problems, for tests that publish or run one. */
export const GREETING_FLOW = {
  start: 'greet',
  steps: [{ name: 'greet', type: 'script', code: 'return "hello"', as: 'greeting' }],
};

/** A well-formed id that nothing has. */
export const UNKNOWN_ID = '01900000-0000-7000-8000-000000000000';

export async function addEnvironment(owner: ConsoleCaller, fields: Record<string, unknown> = {}): Promise<string> {
  return requireText((await owner.must('POST', '/environments', { name: 'Robots', ...fields })).environmentID);
}

export async function addProcess(owner: ConsoleCaller, fields: Record<string, unknown> = {}): Promise<string> {
  return requireText((await owner.must('POST', '/processes', { processName: 'Orders', ...fields })).processID);
}

/** Adds an account with a share of the process that has exactly these permissions. */
export async function addShareHolder(
  world: ConsoleWorld,
  owner: ConsoleCaller,
  processID: string,
  permissions: Record<string, boolean>,
): Promise<TestPerson> {
  const person = await world.addPerson();
  await owner.must('PUT', `/processes/${processID}/shares/${person.email}`, permissions);
  return person;
}

/** How the console names a person and its session to other services. */
export function callerOf({ id, token }: TestPerson): Caller {
  return { accountID: id, sessionHash: hashSecret(token).toString('hex') };
}
