import type { KubernetesObject } from './kustomize.cjs';

/** The folder of the Helm chart, and the folder of its templates. */
export const CHART_FOLDER: string;
export const TEMPLATES_FOLDER: string;
/** The files of the chart's templates by name: the objects of the overlay production with values in them. */
export function renderTemplates(objects?: KubernetesObject[]): Promise<Record<string, string>>;
