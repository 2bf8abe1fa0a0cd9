import { NavLink, ScrollArea, Stack, Text, TextInput, ThemeIcon } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useRef, useState, type KeyboardEvent } from 'react';
import { useTranslation } from 'react-i18next';
import type { ConnectorAnswer } from '../../api/generated/console-api';
import { ModalWindow } from '../../common/modal-window';
import { useEditor, type PaletteTarget } from './editor-context';
import { newStep } from './model/new-step';
import { lookOf } from './step-look';

/** A dialog with the step types by category, and a search. The chosen type becomes a new step at the target; without a target the dialog is closed. */
export function Palette({ target, onClose }: { target: PaletteTarget | undefined; onClose: () => void }) {
  const { t } = useTranslation('flow-editor');
  return (
    <ModalWindow
      opened={target !== undefined}
      onClose={onClose}
      title={t('palette.title')}
      scrollAreaComponent={ScrollArea.Autosize}
    >
      {target && <PaletteList target={target} onClose={onClose} />}
    </ModalWindow>
  );
}

function PaletteList({ target, onClose }: { target: PaletteTarget; onClose: () => void }) {
  const { t } = useTranslation('flow-editor');
  const { connectors, store } = useEditor();
  const [search, setSearch] = useState('');
  const list = useRef<HTMLDivElement>(null);
  const nameOf = (type: string) => t(`types.${type}.name`, { defaultValue: type });
  const aboutOf = ({ type, description }: ConnectorAnswer) => t(`types.${type}.about`, { defaultValue: description });
  const found = connectors.filter((connector) => {
    const text = searchForm(`${nameOf(connector.type)} ${connector.type} ${aboutOf(connector)}`);
    return searchForm(search)
      .split(/\s+/)
      .every((word) => text.includes(word));
  });
  const categories = [...new Set(found.map(({ category }) => category))];
  const choose = ({ type, schema }: ConnectorAnswer) => {
    const step = newStep(type, nameOf(type), schema);
    if (target.kind === 'free') store.add(step);
    else if (target.kind === 'after') store.add(step, { step: target.step, kind: target.routes });
    else
      store.insert(step, {
        step: target.step,
        kind: target.routes,
        index: target.index,
      });
    onClose();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const [first] = found;
    if (event.key === 'Enter' && first) choose(first);
    if (event.key === 'ArrowDown') list.current?.querySelector('button')?.focus();
  };
  return (
    <Stack gap="sm">
      <TextInput
        data-autofocus
        type="search"
        aria-label={t('palette.search')}
        placeholder={t('palette.search')}
        leftSection={<IconSearch size={16} aria-hidden />}
        value={search}
        onChange={({ currentTarget }) => setSearch(currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <div ref={list}>
        {categories.map((category) => (
          <section key={category} aria-label={t(`categories.${category}`)}>
            <Text size="xs" fw={700} mt="xs" mb={4}>
              {t(`categories.${category}`)}
            </Text>
            {found
              .filter((connector) => connector.category === category)
              .map((connector) => {
                const { icon: Icon, color } = lookOf(connector.type);
                return (
                  <NavLink
                    key={connector.type}
                    component="button"
                    type="button"
                    label={nameOf(connector.type)}
                    description={aboutOf(connector)}
                    leftSection={
                      <ThemeIcon variant="light" color={color} size={36}>
                        <Icon size={20} aria-hidden />
                      </ThemeIcon>
                    }
                    onClick={() => choose(connector)}
                  />
                );
              })}
          </section>
        ))}
      </div>
      {found.length === 0 && <Text c="dimmed">{t('palette.none')}</Text>}
    </Stack>
  );
}

function searchForm(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}
