import type { HistoryDto, MatrixListDto, ProcessDto, ProcessListDto } from './process.dto';

const EXAMPLE_PROCESS_ID = '01931f7a-9c1b-7c55-8f3e-2f6f3a1d0c13';
const EXAMPLE_SUMMARY = {
  processID: EXAMPLE_PROCESS_ID,
  processName: 'Order intake',
  agentName: 'Office machine',
  active: true,
};

export const MATRIX_EXAMPLE: MatrixListDto = {
  matrix: [
    { name: 'customer', type: 'Texto', default: 'Padaria Aurora' },
    { name: 'freight', type: 'Moeda', default: 15.9 },
    { name: 'token', type: 'Secreto', default: '' },
  ],
};

export const PROCESSES_EXAMPLE: ProcessListDto = {
  processes: [
    { ...EXAMPLE_SUMMARY, paused: false, owned: true },
    {
      ...EXAMPLE_SUMMARY,
      processID: '01931f7a-9c1b-7c55-8f3e-2f6f3a1d0c14',
      processName: 'Invoices',
      owned: false,
      ownerName: 'Bruno Lima',
      permissions: { execute: true, edit: false, api: false, schedule: true, delete: false, share: false },
    },
  ],
};

export const PROCESS_EXAMPLE: ProcessDto = {
  ...EXAMPLE_SUMMARY,
  description: 'Takes an order and sends it on.',
  apiEnabled: true,
  currentVersion: 3,
  avgHumanTime: '00:12:00',
  avgOperatorCost: 45.5,
  matrix: MATRIX_EXAMPLE.matrix,
};

export const HISTORY_EXAMPLE: HistoryDto = {
  from: '2026-10-21',
  to: '2026-11-20',
  executions: [
    {
      instanceID: '01931f7a-9c1b-7c55-8f3e-2f6f3a1d0c15',
      processID: EXAMPLE_PROCESS_ID,
      processName: 'Order intake',
      status: 'success',
      startedAt: '2026-11-20T14:03:05.120Z',
      finishedAt: '2026-11-20T14:03:09.480Z',
      durationSeconds: 4,
      savingsValue: 9.1,
      fteHours: 0.2,
    },
  ],
};
