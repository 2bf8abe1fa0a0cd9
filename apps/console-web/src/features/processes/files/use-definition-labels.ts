import { useTranslation } from 'react-i18next';

/** The labels of the fields of a process definition, by their names in the API, for the refusals of an import. */
export function useDefinitionLabels(): Record<string, string> {
  const { t } = useTranslation('processes');
  return {
    processName: t('columns.name'),
    description: t('description'),
    environmentID: t('columns.environment'),
    avgHumanTime: t('overview.humanTime'),
    avgOperatorCost: t('overview.cost'),
    matrix: t('tabs.matrix'),
    'signature.secret': t('files.secret'),
  };
}
