import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ProcessAnswer } from '../../api/generated/console-api';

/** Leads from a page of another feature, such as the webhooks, back to its process. */
export function ProcessLink({ process: { processID, processName } }: { process: ProcessAnswer }) {
  return (
    <Anchor
      underline="always"
      style={{ overflowWrap: 'anywhere' }}
      renderRoot={(props) => <Link to="/processes/$pid" params={{ pid: processID }} {...props} />}
    >
      {processName}
    </Anchor>
  );
}
