import { Button, Modal } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useTranslation } from 'react-i18next';
import { AddPersonForm } from './add-person-form';

/** Adds an account to a company, which only operators may. */
export function AddPerson({ companyID, companyName }: { companyID: string; companyName: string }) {
  const { t } = useTranslation(['company', 'common']);
  const [isAdding, adding] = useDisclosure(false);
  return (
    <>
      <Button size="xs" variant="default" aria-label={`${t('people.add')}: ${companyName}`} onClick={adding.open}>
        {t('people.add')}
      </Button>
      <Modal
        opened={isAdding}
        onClose={adding.close}
        closeOnClickOutside={false}
        title={t('people.add')}
        closeButtonProps={{ 'aria-label': t('common:actions.close') }}
      >
        <AddPersonForm companyID={companyID} onClose={adding.close} />
      </Modal>
    </>
  );
}
