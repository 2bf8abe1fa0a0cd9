import { z } from 'zod';
import type { Environment } from './environments.repository';

export const ENVIRONMENT: Environment = {
  environmentID: '01931f7a-9c1b-7c55-8f3e-2f6f3a1d0c12',
  name: 'Office machine',
  description: '',
  online: true,
  offlineFlow: true,
  envType: 'prod',
  os: 'windows',
  shared: false,
};

/** Contract 2.2. */
const environment = z
  .object({
    environmentID: z.uuid().describe('What start and schedule creation take.'),
    name: z.string(),
    description: z.string(),
    online: z.boolean().describe('An agent is connected now.'),
    offlineFlow: z.boolean().describe('Takes starts while no agent is connected; they wait in its queue.'),
    envType: z.string(),
    os: z.string(),
    shared: z.boolean().describe('Published to everyone in the company.'),
  })
  .meta({ id: 'Environment' }) satisfies z.ZodType<Environment>;

export const environmentList = z.object({ environments: z.array(environment) });
