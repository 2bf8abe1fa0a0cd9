import { z } from 'zod';
import { waitUntil } from '../support/wait-until';
import type { Environment, Owner } from './factories';

const environments = z.object({ environments: z.array(z.object({ environmentID: z.string(), online: z.boolean() })) });
const accepted = z.object({ instanceID: z.string() });
const instance = z.looseObject({ status: z.string(), finishedAt: z.string().optional() });

export type InstanceSeen = z.infer<typeof instance>;

/** The instanceID of an accepted start; throws with what came instead. */
export function instanceOf(answer: { status: number; body: unknown }): string {
  const { success, data } = accepted.safeParse(answer.body);
  if (!success) throw new Error(`not accepted: ${answer.status} ${JSON.stringify(answer.body)}`);
  return data.instanceID;
}

export function untilOnline({ environmentID, owner }: Environment): Promise<boolean> {
  return waitUntil(`environment ${environmentID} is online`, async () => {
    const { body } = await owner.api('GET', '/environments');
    return environments.parse(body).environments.some((one) => one.environmentID === environmentID && one.online);
  });
}

/** The body of GET /instances/:iid, once it satisfies `holds`. */
export function untilInstance(
  owner: Owner,
  instanceID: string,
  what: string,
  holds: (seen: InstanceSeen) => boolean,
): Promise<InstanceSeen> {
  return waitUntil(
    `instance ${instanceID} ${what}`,
    async () => {
      const { body } = await owner.api('GET', `/instances/${instanceID}`);
      const seen = instance.parse(body);
      return holds(seen) && seen;
    },
    { timeoutMs: 40_000 },
  );
}

export function untilEnded(owner: Owner, instanceID: string): Promise<InstanceSeen> {
  return untilInstance(owner, instanceID, 'has ended', ({ finishedAt }) => finishedAt !== undefined);
}
