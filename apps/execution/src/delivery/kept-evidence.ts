import { MAX_EVIDENCE_BYTES, type ReportLine } from '@batuta/agent-protocol';

/**
 * Returns the lines of a report as they are stored: their evidence is kept up to MAX_EVIDENCE_BYTES per instance, and the message of a
 * line whose evidence is dropped says so. `bytes` is the size of the evidence that these lines add to the `keptBytes` stored before.
 */
export function limitEvidence(lines: ReportLine[], keptBytes: number): { lines: ReportLine[]; bytes: number } {
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
