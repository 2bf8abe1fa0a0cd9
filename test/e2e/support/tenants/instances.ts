import type { Instance, InstanceEnded } from '@batuta/client';
import * as s from '../../../support/shape';
import type { Environment, Owner } from './factories';
import { until } from '../until';

/** `GET /v1/instances/:iid`; throws when there is no such instance. */
export function statusOf({ client }: Owner, instanceID: string): Promise<Instance> {
  return client.instance(instanceID).status();
}

/** Awaits the end of an instance, whatever its outcome, at most two minutes; returns the ended instance. */
export function untilEnded({ client }: Owner, instanceID: string): Promise<InstanceEnded> {
  return client.instance(instanceID).ended({ within: 120_000 });
}

/** Awaits that the instance has this status. An instance that ends otherwise is noticed only by the time limit. */
export function untilStatus(owner: Owner, instanceID: string, wanted: Instance['status']): Promise<Instance> {
  return until(
    () => statusOf(owner, instanceID),
    ({ status }) => status === wanted,
  );
}

/** The messages of an instance's log, in order. */
export async function messagesOf({ client }: Owner, instanceID: string): Promise<string[]> {
  return (await client.instance(instanceID).logs()).map(({ message }) => message);
}

const startedShape = s.object({ instanceID: s.text(), status: s.text() });

/** The instance id of an accepted start; throws with the refusal otherwise. */
export function instanceOf(answer: { status: number; body: unknown }): string {
  if (startedShape.matches(answer.body)) return answer.body.instanceID;
  throw new Error(`The start was refused: ${answer.status} ${JSON.stringify(answer.body)}`);
}

const environmentListShape = s.object({
  environments: s.list(s.object({ environmentID: s.text(), online: s.flag })),
});

/** Awaits that an agent of the environment is connected. */
export async function untilOnline({ environmentID, owner }: Environment): Promise<void> {
  await until(
    async () => environmentListShape.parse((await owner.api('GET', '/environments')).body).environments,
    (all) => all.some((one) => one.environmentID === environmentID && one.online),
  );
}
