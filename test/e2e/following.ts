import { z } from 'zod';
import type { Owner } from './factories';
import { until } from './until';

const ENDED = ['success', 'error', 'terminated', 'stopped'];

const statusBody = z.looseObject({ instanceID: z.string(), status: z.string() });
const logsBody = z.object({
  logs: z.array(z.looseObject({ severity: z.string(), message: z.string(), stepID: z.string() })),
});

export type StatusBody = z.infer<typeof statusBody>;

/** `GET /v1/instances/:iid`; throws unless it is there. */
export async function statusOf(owner: Owner, instanceID: string): Promise<StatusBody> {
  return statusBody.parse((await owner.api('GET', `/instances/${instanceID}`)).body);
}

/** Awaits the end of an instance and returns its last body. */
export function ended(owner: Owner, instanceID: string, within?: number): Promise<StatusBody> {
  return until(
    () => statusOf(owner, instanceID),
    ({ status }) => ENDED.includes(status),
    { within },
  );
}

export function reaches(owner: Owner, instanceID: string, wanted: string): Promise<StatusBody> {
  return until(
    () => statusOf(owner, instanceID),
    ({ status }) => status === wanted,
  );
}

/** Messages of the log in order. */
export async function messagesOf(owner: Owner, instanceID: string): Promise<string[]> {
  const { logs } = logsBody.parse((await owner.api('GET', `/instances/${instanceID}/logs`)).body);
  return logs.map(({ message }) => message);
}

const started = z.looseObject({ instanceID: z.string(), status: z.string() });

/** The instance of an accepted start; throws with the refusal otherwise. */
export function instanceOf(answer: { status: number; body: unknown }): string {
  const parsed = started.safeParse(answer.body);
  if (!parsed.success) throw new Error(`The start was refused: ${answer.status} ${JSON.stringify(answer.body)}`);
  return parsed.data.instanceID;
}
