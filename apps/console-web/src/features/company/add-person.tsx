import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useTranslation } from 'react-i18next';
import { Dialog } from '../../common/dialog';
import { AddPersonForm } from './add-person-form';

/** A button and the dialog that adds an account to a company, which only operators may do. */
export function AddPerson({ companyID, companyName }: { companyID: string; companyName: string }) {
  const { t } = useTranslation('company');
  const [isAdding, adding] = useDisclosure(false);
  return (
    <>
      <Button size="xs" variant="default" aria-label={`${t('people.add')}: ${companyName}`} onClick={adding.open}>
        {t('people.add')}
      </Button>
      <Dialog opened={isAdding} onClose={adding.close} title={t('people.add')}>
        <AddPersonForm companyID={companyID} onClose={adding.close} />
      </Dialog>
    </>
  );
}
