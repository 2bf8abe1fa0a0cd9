'use strict';
const { createHash } = require('node:crypto');
const { readFile } = require('node:fs/promises');
const path = require('node:path');
const { parse, stringify } = require('yaml');
const { ROOT } = require('./find-servers.cjs');
const { renderOverlay } = require('./kustomize.cjs');

const CHART_FOLDER = path.join(ROOT, 'k8s', 'chart');
const TEMPLATES_FOLDER = path.join(CHART_FOLDER, 'templates');
const GENERATED_FILE_NOTE =
  '# Made by scripts/helm.mjs from k8s/overlays/production: change that, and values in scripts/lib/chart.cjs.\n';

/** By name of a Secret in the overlay: the chart's value that has the name of this Secret. */
const VALUE_OF_SECRET = {
  'batuta-database': 'database',
  'batuta-nats': 'nats',
  'batuta-keys': 'keys',
  'batuta-operator': 'operator',
  'batuta-evidence': 'evidence',
  'nats-tls': 'natsTls',
  'batuta-authorities': 'authorities',
};
const SERVICES = ['gateway', 'console', 'execution', 'router', 'schedule', 'webhook'];
/** The component of the overlays that the chart contains when a setting names a collector of traces. */
const COLLECTOR_POLICY_FILE = path.join(ROOT, 'k8s', 'components', 'traces', 'network-policy.yaml');
const HEADERS_SETTING = 'OTEL_EXPORTER_OTLP_HEADERS';

/** By key of a ConfigMap: the template expression that the chart has as its value. */
const EXPRESSION_OF_SETTING = {
  DATABASE_URL: '.Values.databaseUrl | quote',
  TRUST_PROXY: '.Values.ingress.trustProxy | quote',
  GATEWAY_PUBLIC_URL: 'printf "https://%s" .Values.hosts.api | quote',
  ROUTER_PUBLIC_URL: 'printf "https://%s" .Values.hosts.agents | quote',
  OPERATOR_EMAIL: '.Values.operatorEmail | quote',
  EVIDENCE_STORE: '.Values.evidence.store | quote',
  EVIDENCE_S3_ENDPOINT: '.Values.evidence.endpoint | quote',
  EVIDENCE_S3_BUCKET: '.Values.evidence.bucket | quote',
  EVIDENCE_S3_REGION: '.Values.evidence.region | quote',
};
/** Settings of all services that the chart's values cannot change. */
const FIXED_SETTINGS = ['HOST', 'PORT'];
/** A hash of all values that ConfigMaps use. When it changes, the pods restart, as with the hashes in names that kustomize makes. */
const SETTINGS_HASH_EXPRESSION =
  'list .Values.databaseUrl .Values.settings .Values.ingress .Values.hosts .Values.operatorEmail .Values.evidence | toJson | sha256sum';

const VALUE_OF_HOST = { 'api.example.com': 'api', 'console.example.com': 'console', 'agents.example.com': 'agents' };
const VALUE_OF_NETWORK_POLICY = { 'to-database': 'database', 'to-evidence': 'evidence' };

/** The files of the chart's templates by name: `objects` of the overlay with values in them, without Namespace and Secrets. */
async function renderTemplates(objects) {
  objects ??= await renderOverlay('production', () => 'sample');
  const labels = objects.find(({ kind }) => kind === 'NetworkPolicy').metadata.labels;
  const natsConfiguration = JSON.stringify(
    objects.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === 'nats'),
  );
  const kept = objects.filter(({ kind }) => kind !== 'Namespace' && kind !== 'Secret');
  const policy = parse(await readFile(COLLECTOR_POLICY_FILE, 'utf8'));
  policy.metadata.labels = labels;
  const collector = '.Values.settings.OTEL_EXPORTER_OTLP_ENDPOINT';
  return Object.fromEntries([
    ...kept.map((object) => [nameOfFile(object), GENERATED_FILE_NOTE + new Template().of(object, natsConfiguration)]),
    [nameOfFile(policy), `${GENERATED_FILE_NOTE}{{- if ${collector} }}\n${new Template().of(policy)}{{- end }}\n`],
  ]);
}

const nameOfFile = ({ kind, metadata }) => `${kind.toLowerCase()}-${metadata.name}.yaml`;

/**
 * Makes the template of one object: the method that is named after the kind of the object puts values of the chart into a copy. While the object is
 * not text yet, placeholders stand for the expressions and actions of Go templates, which YAML cannot hold.
 */
class Template {
  expressions = [];
  blocks = [];

  of(object, natsConfiguration) {
    const copy = structuredClone(object);
    copy.metadata.namespace = this.value('.Release.Namespace');
    this[copy.kind]?.(copy, natsConfiguration);
    const text = stringify(copy, { lineWidth: 0 });
    if (text.includes('{{')) throw new Error(`${copy.kind} ${copy.metadata.name} has a text that Helm would replace`);
    return text
      .replaceAll(/^( *)(?:- )?__BLOCK_(\d+)__.*\n/gm, (_whole, indent, at) =>
        this.blocks[Number(at)].map((line) => `${indent}${line}\n`).join(''),
      )
      .replaceAll(/__VALUE_(\d+)__/g, (_whole, at) => `{{ ${this.expressions[Number(at)]} }}`);
  }

  /** Returns a placeholder for lines with Go template actions, an item of a list or a key, which is replaced once the object is text. */
  block(...lines) {
    return `__BLOCK_${this.blocks.push(lines) - 1}__`;
  }

  /** Returns a placeholder for a Go template expression, which is replaced once the object is text. */
  value(expression) {
    return `__VALUE_${this.expressions.push(expression) - 1}__`;
  }

  ConfigMap({ metadata, data }) {
    for (const key of Object.keys(data))
      if (EXPRESSION_OF_SETTING[key]) data[key] = this.value(EXPRESSION_OF_SETTING[key]);
    if (metadata.name !== 'batuta-settings') return;
    for (const key of Object.keys(data)) if (!FIXED_SETTINGS.includes(key)) delete data[key];
    data[
      this.block('{{- range $name, $value := .Values.settings }}', '{{ $name }}: {{ $value | quote }}', '{{- end }}')
    ] = '';
  }

  Deployment({ metadata: { name }, spec: { template } }) {
    this.pod(template);
    if (SERVICES.includes(name)) this.service(name, template.spec);
    template.metadata.annotations = { 'checksum/settings': this.value(SETTINGS_HASH_EXPRESSION) };
  }

  /** Adds the time in which the pod may stop, the settings of this service alone, and the credentials for the collector of traces. */
  service(name, spec) {
    const { containers, volumes } = spec;
    spec.terminationGracePeriodSeconds = this.value('.Values.terminationGracePeriodSeconds');
    containers[0].env.push(
      this.block(
        `{{- range $name, $value := .Values.serviceSettings.${name} }}`,
        '- name: {{ $name }}',
        '  value: {{ $value | quote }}',
        '{{- end }}',
        '{{- if .Values.secrets.traces }}',
        `- name: ${HEADERS_SETTING}_FILE`,
        `  value: /run/secrets/batuta/${HEADERS_SETTING}`,
        '{{- end }}',
      ),
    );
    volumes[0].projected.sources.push(
      this.block(
        '{{- if .Values.secrets.traces }}',
        '- secret:',
        '    name: {{ .Values.secrets.traces | quote }}',
        `    items: [{ key: ${HEADERS_SETTING}, path: ${HEADERS_SETTING} }]`,
        '{{- end }}',
      ),
    );
  }

  StatefulSet({ spec: { template } }, natsConfiguration) {
    this.pod(template);
    const hash = createHash('sha256').update(natsConfiguration).digest('hex');
    template.metadata.annotations = { 'checksum/settings': hash };
  }

  /** Puts the number of the release into the name of the Job, because a Job cannot be changed; Helm removes the previous Job. */
  Job({ metadata, spec: { template } }) {
    metadata.name = `migrate-${this.value('.Release.Revision')}`;
    this.pod(template);
  }

  CronJob({ spec: { jobTemplate } }) {
    this.pod(jobTemplate.spec.template);
  }

  pod({ spec }) {
    for (const container of [...(spec.initContainers ?? []), ...spec.containers]) {
      container.image = this.value(
        container.image.includes('/nats@') ? '.Values.natsImage | quote' : '.Values.image | quote',
      );
      for (const { valueFrom } of container.env) if (valueFrom?.secretKeyRef) this.secret(valueFrom.secretKeyRef);
    }
    for (const { projected } of spec.volumes) for (const { secret } of projected?.sources ?? []) this.secret(secret);
  }

  secret(reference) {
    const value = VALUE_OF_SECRET[reference.name];
    if (!value) throw new Error(`the chart has no value for the Secret ${reference.name}`);
    reference.name = this.value(`.Values.secrets.${value} | quote`);
  }

  Ingress({ metadata, spec }) {
    metadata.annotations = {
      [this.block(
        `{{- range $name, $value := .Values.ingress.annotations.${metadata.name} }}`,
        '{{ $name }}: {{ $value | quote }}',
        '{{- end }}',
      )]: '',
    };
    const host = (name) => this.value(`.Values.hosts.${VALUE_OF_HOST[name]} | quote`);
    spec.ingressClassName = this.value('.Values.ingress.className | quote');
    for (const tls of spec.tls) {
      tls.hosts = tls.hosts.map(host);
      tls.secretName = this.value('.Values.ingress.tlsSecret | quote');
    }
    for (const rule of spec.rules) rule.host = host(rule.host);
  }

  HorizontalPodAutoscaler({ metadata: { name }, spec }) {
    spec.minReplicas = this.value(`.Values.scaling.${name}.min`);
    spec.maxReplicas = this.value(`.Values.scaling.${name}.max`);
    spec.metrics = spec.metrics.flatMap((metric) => {
      const { resource, external } = metric;
      if (resource) resource.target.averageUtilization = this.value('.Values.scaling.cpuPercent');
      if (!external) return [metric];
      const age = '.Values.scaling.queueAgeSeconds';
      external.target.value = this.value(`${age} | quote`);
      return [this.block(`{{- if ${age} }}`), metric, this.block('{{- end }}')];
    });
  }

  NetworkPolicy({ metadata: { name }, spec }) {
    if (name === 'edge') {
      const [{ from }] = spec.ingress;
      from[0].namespaceSelector.matchLabels['kubernetes.io/metadata.name'] = this.value(
        '.Values.ingress.namespace | quote',
      );
    }
    if (name === 'names') this.names(spec.egress[0]);
    const destination = VALUE_OF_NETWORK_POLICY[name];
    if (!destination) return;
    const [{ to, ports }] = spec.egress;
    to[0].ipBlock.cidr = this.value(`.Values.networks.${destination} | quote`);
    ports[0].port = this.value(`.Values.networks.${destination}Port`);
  }

  /** Puts the address of the DNS into the policy `names`, by which pods look names up. */
  names({ to: [cluster, node], ports }) {
    cluster.namespaceSelector.matchLabels['kubernetes.io/metadata.name'] = this.value(
      '.Values.names.namespace | quote',
    );
    node.ipBlock.cidr = this.value('.Values.names.nodeCache | quote');
    for (const port of ports) port.port = this.value('.Values.names.port');
  }
}

module.exports = { CHART_FOLDER, TEMPLATES_FOLDER, renderTemplates };
