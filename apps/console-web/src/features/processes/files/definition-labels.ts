import type { TFunction } from 'i18next';

/** The labels of the fields that an import sends, by their names in the API: they replace these names in the messages of refusals. */
export function definitionLabels(t: TFunction<'processes'>): Record<string, string> {
  return {
    processName: t('columns.name'),
    description: t('description'),
    environmentID: t('columns.environment'),
    avgHumanTime: t('overview.humanTime'),
    avgOperatorCost: t('overview.cost'),
    active: t('overview.switches.active'),
    paused: t('overview.switches.schedules'),
    apiPermission: t('overview.switches.api'),
    matrix: t('tabs.matrix'),
    name: t('files.origin.name'),
    responseMode: t('files.origin.responseMode'),
    waitSeconds: t('files.origin.waitSeconds'),
    enabled: t('files.origin.enabled'),
    signature: t('files.origin.signature'),
    'signature.header': t('files.origin.header'),
    'signature.secret': t('files.secret'),
    'signature.toleranceSeconds': t('files.origin.tolerance'),
  };
}
