import { Button, Group, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPlus } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Dialog } from '../../common/dialog';

interface SectionProps {
  title: string;
  /** The text of the button that opens the form of a new entry. */
  add: string;
  /** Gives the form; `close` closes its dialog. */
  form: (close: () => void) => ReactNode;
  children: ReactNode;
}

/** A list with a heading and a dialog for a new entry. */
export function Section({ title, add, form, children }: SectionProps) {
  const [isAdding, adding] = useDisclosure(false);
  return (
    <section>
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h3">
          {title}
        </Title>
        <Button leftSection={<IconPlus size={18} aria-hidden />} onClick={adding.open}>
          {add}
        </Button>
      </Group>
      {children}
      <Dialog opened={isAdding} onClose={adding.close} title={add}>
        {form(adding.close)}
      </Dialog>
    </section>
  );
}
