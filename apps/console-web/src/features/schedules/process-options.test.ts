import { createInstance } from 'i18next';
import portuguese from './locales/pt-BR.json';
import ofProcesses from '../processes/locales/pt-BR.json';
import { processOptions, stateHint } from './process-options';

const i18n = createInstance({
  resources: { 'pt-BR': { schedules: portuguese, processes: ofProcesses } },
  interpolation: { escapeValue: false },
});
beforeAll(() => i18n.init({ lng: 'pt-BR' }));
const t = () => i18n.getFixedT('pt-BR', 'schedules');

const running = {
  processID: '1',
  processName: 'Pedidos',
  environmentID: null,
  active: true,
  paused: false,
  currentVersion: 3,
  owned: true,
};
const permissions = { execute: true, edit: true, schedule: false, api: true, share: true, delete: true };
const shared = { ...running, owned: false, permissions };

test.each([
  ['that runs', running, 'Pedidos', false],
  ['without a published version', { ...running, currentVersion: 0 }, 'Pedidos (Não publicado)', false],
  ['with paused schedules', { ...running, paused: true }, 'Pedidos (Agendamentos pausados)', false],
  ['that is off', { ...running, active: false }, 'Pedidos (Desligado)', false],
  ['that is shared to schedule it', { ...shared, permissions: { ...permissions, schedule: true } }, 'Pedidos', false],
  ['that is shared without that', shared, 'Pedidos (não compartilhado para agendar)', true],
])(
  'the form of a schedule offers a process %s, with its state, and disabled if the account may not schedule it',
  (_, process, label, disabled) => {
    expect(processOptions([process], t())).toEqual([{ value: '1', label, disabled }]);
  },
);

test('the form of a schedule says what happens at the nominal times of a process that does not start', () => {
  expect(stateHint({ ...running, currentVersion: 0 }, t())).toMatch(/^Este processo ainda não tem versão publicada/);
  expect(stateHint({ ...running, paused: true }, t())).toMatch(/pausados/);
  expect(stateHint({ ...running, active: false }, t())).toMatch(/desligado/);
  expect([stateHint(running, t()), stateHint(undefined, t())]).toEqual(['', '']);
});
