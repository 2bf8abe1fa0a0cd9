import type { TFunction } from 'i18next';
import type { ProcessSummary } from '../../api/generated/console-api';
import { hasPermission } from '../processes/process-access';
import { processStateOf } from '../processes/process-state';

/**
 * The processes as options of the form. Each may be scheduled whatever its state, which is part of its label unless it is `active`; a process that
 * the account may not schedule cannot be chosen.
 */
export function processOptions(processes: readonly ProcessSummary[], t: TFunction<'schedules'>) {
  return processes.map((process) => {
    const { processID: value, processName: name } = process;
    const disabled = !hasPermission(process, 'schedule');
    const remark = disabled ? t('form.notShared') : stateText(process, t);
    return { value, label: remark === '' ? name : t('form.marked', { name, remark }), disabled };
  });
}

/**
 * A text that says what happens at the nominal times of a schedule while its process is in a state other than `active`; empty for an active
 * process, and without one.
 */
export function stateHint(process: ProcessSummary | undefined, t: TFunction<'schedules'>): string {
  const state = process ? processStateOf(process) : 'active';
  return state === 'active' ? '' : t(`form.stateHints.${state}`);
}

function stateText(process: ProcessSummary, t: TFunction<'schedules'>): string {
  const state = processStateOf(process);
  return state === 'active' ? '' : t(`processes:states.${state}`);
}
