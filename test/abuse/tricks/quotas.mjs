import { randomUUID } from 'node:crypto';

const EACH = 50;
const ACCOUNT = 3;
const ENVIRONMENT = {
  description: '',
  os: 'linux',
  envType: 'prod',
  capacity: 50,
  offlineFlow: true,
  cancelQueueOnException: false,
};

export const quotas = {
  name: 'quotas',
  what: `${EACH} more credentials, environments, process keys, vault entries, origins and versions in each round`,

  async round(at) {
    const { processID } = at.world.plants.starts;
    const kinds = [
      () => at.manage('POST', '/credentials', { label: randomUUID() }, ACCOUNT),
      () => at.manage('POST', '/environments', { ...ENVIRONMENT, name: randomUUID() }, ACCOUNT),
      () => at.manage('POST', `/processes/${processID}/keys`, { identifier: randomUUID() }),
      () => at.manage('PUT', `/vault/${newKey()}`, { value: 'x'.repeat(1_000) }, ACCOUNT),
      () => at.manage('POST', `/processes/${processID}/origins`, { name: randomUUID(), responseMode: 'Imediata' }),
      () => at.manage('POST', `/processes/${processID}/publish`),
    ];
    for (const kind of kinds) await at.repeat(at.isShort ? 3 : EACH, 8, kind);
  },
};

function newKey() {
  return `K${randomUUID()}`.replaceAll('-', '').toUpperCase();
}
