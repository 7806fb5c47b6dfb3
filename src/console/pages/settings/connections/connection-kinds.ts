/** Form fields of Connection settings by kind. The server validates the settings. */
import { invalidField, objectIn } from '../invalid-field.ts'

export const connectionKinds = {
  http: 'HTTP API',
  database: 'Database',
  object_storage: 'Object storage',
  messaging: 'Messaging',
  custom: 'Custom',
} as const
export type ConnectionKind = keyof typeof connectionKinds

interface SettingField {
  name: string
  label: string
  required?: boolean
  /** Type `number` is sent as a number; `lines` is one `Name: value` per line. */
  type?: 'number' | 'lines'
  placeholder?: string
  hint?: string
}

export const settingFields: Record<ConnectionKind, SettingField[]> = {
  http: [
    { name: 'baseUrl', label: 'Base URL', required: true, placeholder: 'https://api.example.com/v1' },
    {
      name: 'headers',
      label: 'Headers',
      type: 'lines',
      placeholder: 'Accept-Language: en',
      hint: 'One per line, sent with every request. Put secrets in credentials.',
    },
  ],
  database: [
    { name: 'engine', label: 'Engine', required: true, placeholder: 'postgres' },
    { name: 'host', label: 'Host', required: true, placeholder: 'db.example.com' },
    { name: 'port', label: 'Port', required: true, type: 'number', placeholder: '5432' },
    { name: 'database', label: 'Database', required: true },
  ],
  object_storage: [
    { name: 'endpoint', label: 'Endpoint', required: true, placeholder: 'https://s3.example.com' },
    { name: 'bucket', label: 'Bucket', required: true },
    { name: 'region', label: 'Region' },
  ],
  messaging: [
    { name: 'protocol', label: 'Protocol', required: true, placeholder: 'amqp' },
    { name: 'url', label: 'URL', required: true, placeholder: 'amqps://broker.example.com/orders' },
    { name: 'topic', label: 'Topic' },
  ],
  custom: [],
}

/** Location of the credential in HTTP requests. */
export const authWays = {
  '': 'not sent',
  bearer: 'as a bearer token',
  basic: 'as user:password (basic)',
  header: 'in a custom header',
} as const

function linesOf(field: string, text: string): Record<string, string> | undefined {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  if (lines.length === 0) return undefined
  return Object.fromEntries(
    lines.map((line) => {
      const [, name, value] = /^\s*([^:\s]+)\s*:\s*(.*?)\s*$/.exec(line) ?? []
      if (name === undefined || value === undefined)
        throw invalidField(field, `Write a line as Name: value, not "${line}".`)
      return [name, value]
    }),
  )
}

/** Headers as lines. */
export const linesFrom = (headers: unknown): string =>
  typeof headers === 'object' && headers !== null
    ? Object.entries(headers)
        .map(([name, value]) => `${name}: ${String(value)}`)
        .join('\n')
    : ''

/** Reads the settings from form fields beginning with `prefix` (`settings/`). Throws validation issues. */
export function settingsIn(
  kind: ConnectionKind,
  text: (name: string) => string,
  prefix: string,
): Record<string, unknown> {
  if (kind === 'custom') return objectIn(prefix.slice(0, -1), text(prefix.slice(0, -1))) ?? {}
  const settings: Record<string, unknown> = {}
  for (const { name, type } of settingFields[kind]) {
    const field = prefix + name
    const given = text(field)
    const value = type === 'lines' ? linesOf(field, given) : type === 'number' && given !== '' ? Number(given) : given
    if (value !== undefined && value !== '') settings[name] = value
  }
  if (kind === 'http') {
    const auth = text(`${prefix}auth`)
    if (auth !== '') settings.auth = auth
    if (auth === 'header') settings.headerName = text(`${prefix}headerName`)
  }
  return settings
}
