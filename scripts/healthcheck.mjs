// HEALTHCHECK of the image: succeeds when the service in this container is ready, as /health/ready of its port says.
const url = `http://127.0.0.1:${process.env.PORT || 8080}/health/ready`;
const answer = await fetch(url, { signal: AbortSignal.timeout(4_000) }).catch(() => undefined);
process.exit(answer?.ok ? 0 : 1);
