{{- /* The template of a pod: what StatefulSet and Deployment share, and the parts by which they differ. */ -}}
{{- define "trivet.pod" -}}
metadata:
  labels:
    {{- include "trivet.labels" . | nindent 4 }}
  {{- with .Values.podAnnotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  automountServiceAccountToken: false
  enableServiceLinks: false
  terminationGracePeriodSeconds: {{ .Values.terminationGracePeriodSeconds }}
  {{- with .Values.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 65532
    runAsGroup: 65532
    fsGroup: 65532
    {{- if eq .Values.database "sqlite" }}
    # Else each start gives the group access to master.key, which Trivet refuses to use then.
    fsGroupChangePolicy: OnRootMismatch
    {{- end }}
    seccompProfile: { type: RuntimeDefault }
  {{- if eq .Values.database "postgres" }}
  topologySpreadConstraints:
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "trivet.selector" . | nindent 10 }}
  {{- end }}
  {{- with .Values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  containers:
    - name: trivet
      image: "{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}"
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      args: [serve]
      env:
        {{- include "trivet.env" . | nindent 8 }}
      ports:
        - { name: http, containerPort: 8787 }
        - { name: metrics, containerPort: 9464 }
      securityContext:
        readOnlyRootFilesystem: true
        allowPrivilegeEscalation: false
        capabilities: { drop: [ALL] }
      # A migration of a large database may take minutes.
      startupProbe:
        httpGet: { path: /healthz, port: http }
        periodSeconds: 2
        failureThreshold: {{ div .Values.startSeconds 2 }}
      readinessProbe:
        httpGet: { path: /readyz, port: http }
        periodSeconds: 10
        timeoutSeconds: 5
      # Not /readyz: a restart brings no database back and mends no full disk.
      livenessProbe:
        httpGet: { path: /healthz, port: http }
        periodSeconds: 20
        timeoutSeconds: 5
        failureThreshold: 6
      resources:
        {{- toYaml .Values.resources | nindent 8 }}
      volumeMounts:
        {{- include "trivet.mounts" . | nindent 8 }}
  volumes:
    {{- include "trivet.volumes" . | nindent 4 }}
{{- end }}

{{- define "trivet.env" -}}
- name: TRIVET_PUBLIC_URL
  value: {{ .Values.publicUrl | quote }}
- name: TRIVET_TRUSTED_PROXIES
  value: {{ .Values.trustedProxies | quote }}
{{- if .Values.configSecret }}
- { name: TRIVET_CONFIG, value: /config/trivet.toml }
{{- end }}
{{- if eq .Values.database "postgres" }}
- { name: TRIVET_DATABASE_FILE, value: /secrets/database }
- { name: TRIVET_MASTER_KEY_FILE, value: /secrets/master-key }
{{- else if .Values.sqlite.replicate.enabled }}
- name: TRIVET_REPLICATE
  value: {{ .Values.sqlite.replicate.url | quote }}
- { name: TRIVET_REPLICATE_KEYS_FILE, value: /replica/keys.toml }
{{- end }}
# Whoever reaches this port may read the metrics: let a NetworkPolicy name who that is.
- { name: TRIVET_METRICS_LISTEN, value: '0.0.0.0:9464' }
{{- with .Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "trivet.mounts" -}}
- { name: data, mountPath: /data }
- { name: tmp, mountPath: /tmp }
{{- if eq .Values.database "postgres" }}
- { name: secrets, mountPath: /secrets, readOnly: true }
{{- else if .Values.sqlite.replicate.enabled }}
- { name: replica, mountPath: /replica, readOnly: true }
{{- end }}
{{- if .Values.configSecret }}
- { name: config, mountPath: /config, readOnly: true }
{{- end }}
{{- end }}

{{- define "trivet.volumes" -}}
- name: tmp
  emptyDir: { sizeLimit: 1Gi }
{{- if eq .Values.database "postgres" }}
# Nothing that must be kept: the data is in PostgreSQL.
- name: data
  emptyDir: { sizeLimit: 1Gi }
- name: secrets
  secret:
    secretName: {{ .Values.postgres.secret | quote }}
    defaultMode: 288
{{- else if .Values.sqlite.replicate.enabled }}
- name: replica
  secret:
    secretName: {{ .Values.sqlite.replicate.keysSecret | quote }}
    defaultMode: 288
{{- end }}
{{- with .Values.configSecret }}
- name: config
  secret:
    secretName: {{ . | quote }}
    defaultMode: 288
{{- end }}
{{- end }}
