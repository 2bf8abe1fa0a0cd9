import { MAX_EVIDENCE_BYTES, type ReportLine } from '@batuta/agent-protocol';

/**
 * The lines of a report as the log keeps them: evidence is kept until the instance has MAX_EVIDENCE_BYTES of it, and a line
 * without its evidence says so. `bytes` = the evidence that these lines add to `keptBytes`.
 */
export function keepEvidence(lines: ReportLine[], keptBytes: number): { lines: ReportLine[]; bytes: number } {
  let bytes = 0;
  const kept = lines.map((line) => {
    const size = line.evidence ? Buffer.byteLength(line.evidence) : 0;
    if (keptBytes + bytes + size > MAX_EVIDENCE_BYTES) return withoutEvidence(line, size);
    bytes += size;
    return line;
  });
  return { lines: kept, bytes };
}

function withoutEvidence(line: ReportLine, size: number): ReportLine {
  const limit = MAX_EVIDENCE_BYTES / (1024 * 1024);
  const note = `[evidence of ${size} bytes not kept: an instance keeps ${limit} MB]`;
  return { ...line, message: `${line.message} ${note}`, evidence: null };
}
