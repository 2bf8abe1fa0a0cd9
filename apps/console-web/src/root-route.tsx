import { createRootRoute } from '@tanstack/react-router';
import { NotFound } from './common/not-found';
import { Root } from './app/root';

/** The parent of every feature's routes. It has a module of its own, because the router imports the features. */
export const rootRoute = createRootRoute({ component: Root, notFoundComponent: NotFound });
