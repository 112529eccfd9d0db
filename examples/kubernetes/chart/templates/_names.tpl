{{- define "trivet.selector" -}}
app.kubernetes.io/name: trivet
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end }}

{{- define "trivet.labels" -}}
{{ include "trivet.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service | quote }}
{{- end }}
