import { textOf, type Client, type Person, type World } from './world';

export const FLOW = {
  start: 'greet',
  steps: [{ name: 'greet', type: 'script', code: 'return "hello"', as: 'greeting' }],
};

export const NOBODY = '01900000-0000-7000-8000-000000000000';

export async function environmentOf(owner: Client, fields: Record<string, unknown> = {}): Promise<string> {
  return textOf((await owner.must('POST', '/environments', { name: 'Robots', ...fields })).environmentID);
}

export async function processOf(owner: Client, fields: Record<string, unknown> = {}): Promise<string> {
  return textOf((await owner.must('POST', '/processes', { processName: 'Orders', ...fields })).processID);
}

/** Adds an account with a share of the process that has exactly these permissions. */
export async function sharedWith(
  world: World,
  owner: Client,
  processID: string,
  permissions: Record<string, boolean>,
): Promise<Person> {
  const person = await world.person();
  await owner.must('PUT', `/processes/${processID}/shares/${person.email}`, permissions);
  return person;
}
