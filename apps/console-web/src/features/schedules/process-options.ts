import type { TFunction } from 'i18next';
import type { ProcessSummary } from '../../api/generated/console-api';
import { hasPermission } from '../processes/process-access';
import { stateOf } from '../processes/process-state';

/**
 * The processes as options of the form. Each may be scheduled whatever its state, which is part of its name unless it is `active`; one that
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

/** What the times of a schedule of the process do while it is in its state; empty when they start it. */
export function stateHint(process: ProcessSummary | undefined, t: TFunction<'schedules'>): string {
  const state = process ? stateOf(process) : 'active';
  return state === 'active' ? '' : t(`form.stateHints.${state}`);
}

function stateText(process: ProcessSummary, t: TFunction<'schedules'>): string {
  const state = stateOf(process);
  return state === 'active' ? '' : t(`processes:states.${state}`);
}
