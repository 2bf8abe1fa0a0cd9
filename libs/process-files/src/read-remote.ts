import { answerTo, BatutaError } from '@batuta/client';
import type { OriginAnswer, ProcessAnswer, VariableAnswer } from '@batuta/client/console-types';
import { listEnvironments, type ConsoleClient } from './console-lists';
import { isRecord } from './json-shapes';
import type { MatrixItem, OriginDefinition, ProcessDefinition } from './definition';
import { normalizedName } from './process-files';
import { stableFlow } from './stable-json';

/** A process as the console returns it, with the ids that its files lack. */
export interface RemoteProcess {
  definition: ProcessDefinition;
  process: ProcessAnswer;
  /** Origins in the order of `definition.origins`. */
  origins: RemoteOrigin[];
}

export interface RemoteOrigin {
  answer: OriginAnswer;
  /** True when the mapping has an unsaved draft or entries of removed variables. */
  mappingPending: boolean;
}

const MAX_ATTEMPTS = 3;

/** Reads processes from the console; the names of environments are read once for all of them. */
export class RemoteReader {
  private environments: Promise<Map<string, string>> | undefined;

  constructor(private readonly console: ConsoleClient) {}

  /**
   * Makes up to three attempts, because an origin may be removed between the list of origins and its mapping; throws NOT_FOUND after the last one.
   */
  async read(pid: string): Promise<RemoteProcess> {
    for (let attempts = 1; ; attempts += 1) {
      try {
        return await this.readOnce(pid);
      } catch (error) {
        const isRemoved = error instanceof BatutaError && error.code === 'NOT_FOUND';
        if (!isRemoved || attempts === MAX_ATTEMPTS) throw error;
      }
    }
  }

  private async readOnce(pid: string): Promise<RemoteProcess> {
    const path = { params: { path: { pid } } };
    const [process, { flow }, { keys }, { origins }] = await Promise.all([
      answerTo(this.console.GET('/manage/v1/processes/{pid}', path)),
      answerTo(this.console.GET('/manage/v1/processes/{pid}/flow', path)),
      answerTo(this.console.GET('/manage/v1/processes/{pid}/vault-keys', path)),
      answerTo(this.console.GET('/manage/v1/processes/{pid}/origins', path)),
    ]);
    const found = await Promise.all(origins.map((origin) => this.readOrigin(origin, process.matrix)));
    const definition: ProcessDefinition = {
      settings: {
        processName: process.processName,
        description: process.description,
        environment: await this.environmentName(process.environmentID),
        apiPermission: process.apiPermission,
        active: process.active,
        paused: process.paused,
        avgHumanTime: process.avgHumanTime,
        avgOperatorCost: process.avgOperatorCost,
        vaultKeys: keys.toSorted(),
      },
      matrix: process.matrix.map(matrixItem),
      flow: isRecord(flow) ? stableFlow(flow) : null,
      origins: found.map(({ definition: origin }) => origin),
    };
    return { definition, process, origins: found.map(({ remote }) => remote) };
  }

  /** Names of environments by id, read once and cached. */
  environmentNames(): Promise<Map<string, string>> {
    this.environments ??= listEnvironments(this.console).then(
      (all) => new Map(all.map(({ environmentID, name }) => [environmentID, name])),
    );
    return this.environments;
  }

  /** The name of an environment, or its id when the account does not see it. */
  private async environmentName(id: string | null): Promise<string | null> {
    return id === null ? null : normalizedName((await this.environmentNames()).get(id) ?? id);
  }

  private async readOrigin(answer: OriginAnswer, matrix: VariableAnswer[]) {
    const init = { params: { path: { id: answer.id } } };
    const { saved, unsaved } = await answerTo(this.console.GET('/manage/v1/origins/{id}/mapping', init));
    const entries = unsaved ?? saved;
    const names = new Map(matrix.map(({ id, name }) => [id, name]));
    const definition: OriginDefinition = {
      name: answer.name,
      responseMode: answer.responseMode,
      waitSeconds: answer.waitSeconds,
      enabled: answer.enabled,
      signature: answer.signature,
      mapping: entries.flatMap(({ pointer, variableId }) => {
        const variable = names.get(variableId);
        return variable === undefined ? [] : [{ pointer, variable }];
      }),
    };
    const mappingPending = unsaved !== null || definition.mapping.length < entries.length;
    return { definition, remote: { answer, mappingPending } };
  }
}

function matrixItem({ name, type, default: registered }: VariableAnswer): MatrixItem {
  return type === 'Secreto' ? { name, type } : { name, type, default: registered };
}
