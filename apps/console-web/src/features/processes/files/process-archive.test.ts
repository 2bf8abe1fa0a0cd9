import type { ProcessDefinition } from '@batuta/process-files';
import { duplicateProcess } from './process-archive';

const origin: ProcessDefinition['origins'][number] = {
  name: 'Shop',
  responseMode: 'Imediata',
  waitSeconds: 30,
  enabled: true,
  signature: null,
  mapping: [],
};
const definition: ProcessDefinition = {
  settings: {
    processName: 'Orders',
    description: '',
    environment: null,
    apiPermission: 'LIBERADO',
    active: true,
    paused: false,
    avgHumanTime: '0:00:00',
    avgOperatorCost: 0,
    vaultKeys: [],
  },
  matrix: [],
  flow: null,
  origins: [origin, origin],
};

test('a process with two origins of one name is duplicated only after one of them was renamed', async () => {
  const choices = { name: 'Copy', owned: true, environmentID: '', secret: '' };
  const refusal = { code: 'ORIGINS_ALIKE', message: 'Shop' };
  await expect(duplicateProcess(definition, choices)).rejects.toMatchObject(refusal);
});
