import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ProcessAnswer } from '../../api/generated/console-api';

/** The name of a process as a link to its page, for pages of other features, such as the webhooks. */
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
