import { Checkbox, Fieldset, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { PermissionsAnswer, ProcessAnswer, ShareAnswer } from '../../../api/generated/console-api';
import { changesOf } from '../../../common/concurrent-edit';
import { ErrorMessage } from '../../../common/error-message';
import { FormButtons } from '../../../common/form-buttons';
import { applyError, focusRefused, translatedText } from '../../../common/form-errors';
import { hasPermission, PERMISSIONS } from '../process-access';
import { putShare, readShareIfAny, sharesQueryKey } from './queries';

/** The permissions that the form of a new share has at first. */
const INITIAL_PERMISSIONS: PermissionsAnswer = {
  execute: true,
  edit: false,
  schedule: false,
  api: false,
  share: false,
  delete: false,
};

/** The form of a new share, or of the permissions of an existing one. */
export function ShareForm(props: { process: ProcessAnswer; share?: ShareAnswer; onClose: () => void }) {
  const { process, share, onClose } = props;
  const { t } = useTranslation(['processes', 'common']);
  const queryClient = useQueryClient();
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { email: share?.email ?? '', ...(share?.permissions ?? INITIAL_PERMISSIONS) },
    validate: {
      email: (email) => (email.trim() === '' ? translatedText('processes:shares.emailMissing') : null),
    },
  });
  const put = useMutation({
    // Resolves to false if the address already has a share, whose permissions this form has not shown.
    mutationFn: async ({ email: typed, ...permissions }: PermissionsAnswer & { email: string }) => {
      const email = typed.trim();
      const saved = await readShareIfAny(process.processID, email);
      if (saved && !share) return false;
      const change = share ? changesOf(share.permissions, permissions) : permissions;
      // Keeps the permissions that somebody else has granted or withdrawn meanwhile.
      await putShare(process.processID, email, { ...permissions, ...saved?.permissions, ...change });
      return true;
    },
    onSuccess: async (isSaved) => {
      await queryClient.invalidateQueries({ queryKey: sharesQueryKey(process.processID) });
      if (isSaved) return onClose();
      form.setFieldError('email', translatedText('processes:shares.exists'));
      form.getInputNode('email')?.focus();
    },
    onError: (error) => applyError(form, error),
  });
  return (
    <form onSubmit={form.onSubmit((values) => put.mutate(values), focusRefused)} noValidate>
      <Stack>
        <TextInput
          type="email"
          label={t('shares.email')}
          description={t('shares.emailWhy')}
          required
          readOnly={share !== undefined}
          data-autofocus={share === undefined ? true : undefined}
          key={form.key('email')}
          {...form.getInputProps('email')}
        />
        <Fieldset legend={t('shares.may')}>
          <Stack gap="sm">
            {PERMISSIONS.map((permission) => (
              <Checkbox
                key={form.key(permission)}
                label={t(`shares.permissions.${permission}.name`)}
                description={t(`shares.permissions.${permission}.what`)}
                // An account other than the owner can grant only permissions that it has itself.
                disabled={!hasPermission(process, permission)}
                {...form.getInputProps(permission, { type: 'checkbox' })}
              />
            ))}
          </Stack>
        </Fieldset>
        {put.error && <ErrorMessage error={put.error} labels={{ email: t('shares.email') }} />}
        <FormButtons submit={t(share ? 'shares.save' : 'shares.submit')} isPending={put.isPending} onCancel={onClose} />
      </Stack>
    </form>
  );
}
