import { randomUUID } from 'node:crypto';
import { ACCOUNTS } from '../world.mjs';

const COUNT_PER_KIND = 50;
const ENVIRONMENT = {
  description: '',
  os: 'linux',
  envType: 'prod',
  capacity: 50,
  offlineFlow: true,
  cancelQueueOnException: false,
};

export const quotasTrick = {
  name: 'quotas',
  what: `${COUNT_PER_KIND} more credentials, environments, process keys, vault entries, origins and versions in each round`,

  async round(attacker) {
    const { processID } = attacker.world.targets.starts;
    const kinds = [
      () => attacker.manage('POST', '/credentials', { label: randomUUID() }, ACCOUNTS.hoarder),
      () => attacker.manage('POST', '/environments', { ...ENVIRONMENT, name: randomUUID() }, ACCOUNTS.hoarder),
      () => attacker.manage('POST', `/processes/${processID}/keys`, { identifier: randomUUID() }),
      () => attacker.manage('PUT', `/vault/${randomVaultKey()}`, { value: 'x'.repeat(1_000) }, ACCOUNTS.hoarder),
      () =>
        attacker.manage('POST', `/processes/${processID}/origins`, { name: randomUUID(), responseMode: 'Imediata' }),
      () => attacker.manage('POST', `/processes/${processID}/publish`),
    ];
    for (const kind of kinds) await attacker.repeat(attacker.isShort ? 3 : COUNT_PER_KIND, 8, kind);
  },
};

function randomVaultKey() {
  return `K${randomUUID()}`.replaceAll('-', '').toUpperCase();
}
