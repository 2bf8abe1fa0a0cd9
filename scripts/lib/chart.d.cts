import type { KubernetesObject } from './kustomize.cjs';

/** The folder of the Helm chart, and the folder of its templates. */
export const CHART_FOLDER: string;
export const TEMPLATES_FOLDER: string;
/** The texts of the chart's templates by file name: `objects` (by default those of the overlay production) with values of the chart in them. */
export function renderTemplates(objects?: KubernetesObject[]): Promise<Record<string, string>>;
