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

  async round(attacker) {
    const { processID } = attacker.world.targets.starts;
    const kinds = [
      () => attacker.manage('POST', '/credentials', { label: randomUUID() }, ACCOUNT),
      () => attacker.manage('POST', '/environments', { ...ENVIRONMENT, name: randomUUID() }, ACCOUNT),
      () => attacker.manage('POST', `/processes/${processID}/keys`, { identifier: randomUUID() }),
      () => attacker.manage('PUT', `/vault/${newKey()}`, { value: 'x'.repeat(1_000) }, ACCOUNT),
      () =>
        attacker.manage('POST', `/processes/${processID}/origins`, { name: randomUUID(), responseMode: 'Imediata' }),
      () => attacker.manage('POST', `/processes/${processID}/publish`),
    ];
    for (const kind of kinds) await attacker.repeat(attacker.isShort ? 3 : EACH, 8, kind);
  },
};

function newKey() {
  return `K${randomUUID()}`.replaceAll('-', '').toUpperCase();
}
