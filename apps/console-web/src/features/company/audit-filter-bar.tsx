import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useChoiceError } from '../../common/choice-error';
import { FilterBar, type FilterBarProps } from '../../common/filter-bar';
import { FilterPeriodFields, FilterTextField } from '../../common/filter-fields';
import { usePeriodNames } from '../../common/no-matches';
import { COMPANY_ACTIONS, managementAction } from './audit-actions';
import { NO_AUDIT_FILTER, personChoicesQuery, type AuditFilter } from './queries';

export function AuditFilterBar({ filter, onChange }: FilterBarProps<AuditFilter>) {
  const { t } = useTranslation('company');
  const query = useQuery(personChoicesQuery);
  const people = query.data ?? [];
  const { person, action, object, from, to } = filter;
  // The filter in a shared address may name a person who is not among the choices.
  const isUnlisted = person !== undefined && !people.some(({ id }) => id === person);
  return (
    <FilterBar filter={filter} onChange={onChange} none={NO_AUDIT_FILTER}>
      <NativeSelect
        label={t('audit.by')}
        error={useChoiceError(query)}
        value={person ?? ''}
        onChange={({ currentTarget }) => onChange({ person: currentTarget.value || undefined })}
        data={[
          { value: '', label: t('audit.anybody') },
          ...people.map(({ id, name }) => ({ value: id, label: name })),
          ...(isUnlisted ? [{ value: person, label: person }] : []),
        ]}
      />
      <NativeSelect
        label={t('audit.action')}
        value={action ?? ''}
        onChange={({ currentTarget }) => onChange({ action: managementAction(currentTarget.value) })}
        data={[
          { value: '', label: t('audit.anything') },
          ...COMPANY_ACTIONS.map((value) => ({ value, label: t(`audit.actions.${value}`) })),
        ]}
      />
      <FilterTextField
        label={t('audit.object')}
        description={t('audit.objectWhat')}
        value={object}
        maxLength={254}
        onChange={(value) => onChange({ object: value })}
      />
      <FilterPeriodFields from={from} to={to} onChange={onChange} />
    </FilterBar>
  );
}

/** The filters of the audit list, as their fields name them, with their values in words. */
export function useAuditFilterNames({ person, action, object, from, to }: AuditFilter) {
  const { t } = useTranslation('company');
  const { data: people = [] } = useQuery(personChoicesQuery);
  const period = usePeriodNames({ from, to });
  return [
    [t('audit.by'), people.find(({ id }) => id === person)?.name ?? person],
    [t('audit.action'), action && t(`audit.actions.${action}`)],
    [t('audit.object'), object],
    ...period,
  ] satisfies [string, string | undefined][];
}
