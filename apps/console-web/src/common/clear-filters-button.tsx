import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';

interface ClearFiltersButtonProps {
  variant: 'default' | 'subtle';
  onClear: () => void;
}

/** Clears the filters of a list. The button disappears with them, so the focus moves to the content of the page. */
export function ClearFiltersButton({ variant, onClear }: ClearFiltersButtonProps) {
  const { t } = useTranslation();
  const clear = () => {
    onClear();
    document.querySelector('main')?.focus({ preventScroll: true });
  };
  return (
    <Button variant={variant} onClick={clear}>
      {t('filter.clear')}
    </Button>
  );
}
