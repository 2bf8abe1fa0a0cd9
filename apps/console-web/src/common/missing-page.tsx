import { Anchor } from '@mantine/core';
import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { CallError } from '../api/error';
import { EmptyState } from './empty-state';
import { ErrorPage } from './error-page';
import { PageHeader } from './page-header';

interface MissingPageProps {
  title: string;
  /** Says that the resource does not exist. */
  text: string;
  /** The link to the page that lists the resources that exist. */
  link: ReactNode;
}

/** The page of a resource that does not exist, or no longer exists. */
export function MissingPage({ title, text, link }: MissingPageProps) {
  return (
    <>
      <PageHeader title={title} />
      <EmptyState title={text} action={link} />
    </>
  );
}

interface UnreadablePageProps {
  /** The name of the page that lists the resources; also the text of the link to that page. */
  title: string;
  /** The path of that page. */
  list: LinkProps['to'];
  error: unknown;
  /** Reads the resource again; offered unless the resource does not exist. */
  reset: () => void;
}

/** The page of a resource that could not be read, because it does not exist or because of an error after which the user may try again. */
export function UnreadablePage({ title, list, error, reset }: UnreadablePageProps) {
  const { t } = useTranslation();
  const { status, code } = CallError.from(error);
  // A malformed id of a process is refused with 400 INVALID_PROCESS_ID, not with 404 as other malformed ids are.
  if (status !== 404 && code !== 'INVALID_PROCESS_ID') return <ErrorPage error={error} reset={reset} />;
  const link = (
    <Anchor underline="always" renderRoot={(props) => <Link to={list} {...props} />}>
      {title}
    </Anchor>
  );
  return <MissingPage title={title} text={t(`errors.codes.${code}`)} link={link} />;
}
