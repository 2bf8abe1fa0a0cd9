import { lazyRouteComponent } from '@tanstack/react-router';
import { Component, lazy, type ComponentType, type ReactNode } from 'react';
import { loadTexts, prefetchTexts } from '../i18n/i18n';
import { LoadFailed } from './load-failed';
import { importOrReport, LoadFailure } from '../load-failures';

/** The page of a route, loaded when it is first shown, together with the texts that it needs. */
export function lazyScreen<Module extends Record<string, ComponentType>, Name extends keyof Module & string>(
  load: () => Promise<Module>,
  name: Name,
  ...namespaces: string[]
) {
  // Without `importOrReport` the router would reload the page by itself and lose unsaved changes.
  return lazyRouteComponent(async () => {
    prefetchTexts(namespaces);
    const module = await importOrReport(load());
    await loadTexts(namespaces);
    return module;
  }, name);
}

/** A part of a page, loaded when it is first shown. If it does not load, a message takes its place, and the rest of the page stays. */
export function lazyPart<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  const Part = lazy(async () => ({ default: await importOrReport(load()) }));
  return function LoadedPart(props) {
    return (
      <LoadBoundary>
        <Part {...props} />
      </LoadBoundary>
    );
  };
}

/** The properties of a button that opens a part: the part begins to load as soon as the pointer or the focus reaches the button. */
export function preloadProps(load: () => Promise<unknown>) {
  const preload = () => void load().catch(() => undefined);
  return { onPointerEnter: preload, onFocus: preload };
}

class LoadBoundary extends Component<{ children: ReactNode }, { error: unknown }> {
  override state: { error: unknown } = { error: undefined };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    if (error instanceof LoadFailure) return <LoadFailed />;
    throw error;
  }
}
