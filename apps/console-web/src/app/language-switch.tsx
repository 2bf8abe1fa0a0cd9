import { NativeSelect } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { changeLanguage } from '../i18n/i18n';
import { languageOf } from '../i18n/languages';

export function LanguageSwitch() {
  const { t, i18n } = useTranslation();
  return (
    <NativeSelect
      aria-label={t('shell.language')}
      size="xs"
      value={i18n.language}
      data={[
        { value: 'pt-BR', label: 'Português' },
        { value: 'en', label: 'English' },
      ]}
      onChange={({ currentTarget }) => {
        const language = languageOf(currentTarget.value);
        if (language) void changeLanguage(language);
      }}
    />
  );
}
