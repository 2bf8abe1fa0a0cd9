import { setTimeout as sleep } from 'node:timers/promises';
import { createConnection } from 'mysql2/promise';

/** Minimum duration of a fault that silences a program: longer than the time after which the other nodes exclude a silent node. */
const SILENCE_MS = 12_000;
/** When a second node pauses after the writer is cut off, and for how long: during that time the nodes exclude the writer. */
const [PAUSE_AFTER_MS, PAUSE_MS] = [2_000, 2_500];
const REPAIR_TIME_LIMIT_MS = 120_000;

/**
 * All faults. `begin` breaks something; `end` repairs it and resolves when everything works again. With `atOnce` the repair begins at once,
 * as an orchestrator restarts a program; otherwise it begins after the load has recovered without the broken part, but not before `atLeastMs`
 * after the fault. With `stopsRuns`, starts are accepted during the fault, but their instances run only after the repair.
 */
export function allFaults({ services, agents, nats, galera, proxy, databaseUrl }) {
  const rejoin = async (node) => {
    await node.start();
    await untilRepaired({ galera, proxy, databaseUrl });
  };
  const reconnect = async (parts) => {
    await repair(parts);
    await untilRepaired({ galera, proxy, databaseUrl });
  };
  // Parts that are cut off together, as if they were in one data center.
  const split = [galera.nodes[0], nats.nodes[0], agents[0]];
  return [
    ...services.map((replica) => killFault(replica, { atOnce: true })),
    ...agents.map((agent) => killFault(agent, { atOnce: true })),
    killFault(proxy, { atOnce: true }),
    ...nats.nodes.map((node) => killFault(node)),
    ...galera.nodes.map((node, index) => ({
      name: `${index === 0 ? 'the writer ' : ''}${node.name} killed`,
      begin: () => node.kill(),
      end: () => rejoin(node),
    })),
    {
      name: 'the writer galera-1 and nats-1 killed together',
      begin: () => Promise.all([galera.nodes[0].kill(), nats.nodes[1].kill()]),
      end: () => Promise.all([rejoin(galera.nodes[0]), nats.nodes[1].start()]),
    },
    {
      name: 'the writer galera-1 paused',
      begin: async () => galera.nodes[0].signal('SIGSTOP'),
      end: async () => {
        galera.nodes[0].signal('SIGCONT');
        await untilRepaired({ galera, proxy, databaseUrl });
      },
      atLeastMs: SILENCE_MS,
    },
    {
      name: 'the writer galera-1 cut off from the other nodes',
      begin: () => galera.nodes[0].isolate(true),
      end: async () => {
        await galera.nodes[0].isolate(false);
        await untilRepaired({ galera, proxy, databaseUrl });
      },
      atLeastMs: SILENCE_MS,
    },
    { ...dropFault('the writer galera-1', [galera.nodes[0]]), end: () => reconnect([galera.nodes[0]]) },
    {
      ...dropFault('galera-1', [galera.nodes[0]]),
      name: 'packets of galera-1 dropped and galera-3 paused',
      begin: async () => {
        await galera.nodes[0].machine.cut();
        await sleep(PAUSE_AFTER_MS);
        galera.nodes[2].signal('SIGSTOP');
        await sleep(PAUSE_MS);
        galera.nodes[2].signal('SIGCONT');
      },
      end: () => reconnect([galera.nodes[0]]),
    },
    dropFault('nats-0', [nats.nodes[0]]),
    dropFault('agent-1', [agents[0]]),
    { ...dropFault('all agents', agents), stopsRuns: true },
    { ...dropFault('galera-1, nats-0 and agent-1', split), end: () => reconnect(split) },
  ];
}

function killFault(program, kind = {}) {
  return { name: `${program.name} killed`, begin: () => program.kill(), end: () => program.start(), ...kind };
}

/** A fault in which all packets to and from the machines of these parts are lost. */
function dropFault(name, parts) {
  return {
    name: `packets of ${name} dropped`,
    begin: () => Promise.all(parts.map(({ machine }) => machine.cut())),
    end: () => repair(parts),
    atLeastMs: SILENCE_MS,
  };
}

const repair = (parts) => Promise.all(parts.map(({ machine }) => machine.repair()));

/** Waits until all nodes are synchronized and the proxy leads to the first one. */
async function untilRepaired({ galera: { nodes }, proxy, databaseUrl }) {
  for (const node of nodes) await node.untilSynced(nodes.length);
  const deadline = Date.now() + REPAIR_TIME_LIMIT_MS;
  while ((await nameOfNodeAt(databaseUrl)) !== nodes[0].name) {
    if (Date.now() > deadline) {
      throw new Error(`the proxy does not lead to ${nodes[0].name}: ${(await proxy.log()).slice(-3_000)}`);
    }
    await sleep(100);
  }
}

/** The name of the node to which the proxy leads; undefined when the connection or the query fails or takes more than two seconds. */
async function nameOfNodeAt(uri) {
  try {
    const connection = await createConnection({ uri, connectTimeout: 2_000 });
    const [[row]] = await connection.query({ sql: 'SELECT @@wsrep_node_name AS name', timeout: 2_000 });
    connection.destroy();
    return row.name;
  } catch {
    return undefined;
  }
}
