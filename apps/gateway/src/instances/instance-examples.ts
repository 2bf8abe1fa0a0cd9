import type { ControlDoneDto, InstanceEndedDto, LogListDto } from './instance.dto';

export const INSTANCE_EXAMPLE: InstanceEndedDto = {
  instanceID: '01931f7a-9c1b-7c55-8f3e-2f6f3a1d0c15',
  processID: '01931f7a-9c1b-7c55-8f3e-2f6f3a1d0c13',
  processName: 'Order intake',
  status: 'success',
  startedAt: '2026-11-20T14:03:05.120Z',
  finishedAt: '2026-11-20T14:03:09.480Z',
  durationSeconds: 4,
  errorStep: null,
  errorMessage: null,
  savingsValue: 9.1,
  fteHours: 0.2,
  version: '3',
  response: { code: 201, body: { order: 'taken' } },
};

export const LOGS_EXAMPLE: LogListDto = {
  logs: [
    {
      timestamp: '2026-11-20T14:03:05.310Z',
      severity: 'INFO',
      message: 'total = 516.42',
      stepID: 'Sum up',
      userName: 'ERP',
      version: '3',
      evidence: null,
    },
  ],
};

export const CONTROL_EXAMPLE: ControlDoneDto = { ok: true, action: 'stop' };
