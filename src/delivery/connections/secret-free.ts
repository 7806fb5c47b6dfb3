/**
 * Keeps secrets out of settings, which are visible: no field whose name suggests a secret, no URL with credentials. Source:
 * contract 4, "free of secrets"; requirement 4.3.
 */
import type { Issue } from '../../platform/http/answers/errors.ts'
import { pointer } from '../../platform/json.ts'

const bytesMax = 16 * 1024
const issuesMax = 20

/** For names in lower case, with letters and digits only: `X-Api-Key` is `xapikey`. Does not match limits such as `maxTokens`. */
const telling =
  /secret|passw(?:or)?d|passphrase|apikey|privatekey|signingkey|accesskey(?!id)|credential|authorization|cookie|token$/

/** Whether the name suggests a secret. */
export const looksSecret = (name: string): boolean => telling.test(name.toLowerCase().replace(/[^a-z0-9]/g, ''))

/** Whether the text has a URL with a user name or a password. */
const carriesUser = (text: string): boolean =>
  text
    .split('://')
    .slice(1)
    .some((rest) => /^[^/?#\s]*/.exec(rest)![0].includes('@'))

export const noSecrets = 'Settings must not contain secrets; refer to a provider credential.'

/** Whether the JSON of the value is larger than settings may be. */
export function sizeIssues(value: unknown, path: string): Issue[] {
  return Buffer.byteLength(JSON.stringify(value)) > bytesMax
    ? [{ path, message: `May have at most ${bytesMax.toLocaleString('en')} bytes of JSON.` }]
    : []
}

/** The issues of free-form settings. */
export function freeFormIssues(settings: Record<string, unknown>, path: string): Issue[] {
  return [...sizeIssues(settings, path), ...secretsIn(settings, path, looksSecret)].slice(0, issuesMax)
}

/** The issues of texts with a URL that has a user name or a password, in settings of any kind. */
export const urlIssues = (settings: Record<string, unknown>, path: string): Issue[] =>
  secretsIn(settings, path, () => false).slice(0, issuesMax)

function secretsIn(value: unknown, path: string, isTelling: (name: string) => boolean): Issue[] {
  if (typeof value === 'string') return carriesUser(value) ? [{ path, message: noSecrets }] : []
  if (Array.isArray(value)) return value.flatMap((item, index) => secretsIn(item, `${path}/${index}`, isTelling))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, item]) => {
    const at = path + pointer(name)
    return isTelling(name) ? [{ path: at, message: noSecrets }] : secretsIn(item, at, isTelling)
  })
}
