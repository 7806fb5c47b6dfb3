/**
 * Settings are shown to whoever may read them, so that no secret may be among them: no name that announces one, no
 * address that carries one. Source: contract 4, "free of secrets"; requirement 4.3.
 */
import type { Issue } from '../../platform/http/answers/errors.ts'

const bytesMax = 16 * 1024
const issuesMax = 20

/** In lower case, with letters and digits only: `X-Api-Key` is `xapikey`. Limits such as `maxTokens` are none. */
const telling =
  /secret|passw(?:or)?d|passphrase|apikey|privatekey|signingkey|accesskey(?!id)|credential|authorization|cookie|token$/

/** Whether what is called like this is a secret, by all that one can tell. */
export const looksSecret = (name: string): boolean => telling.test(name.toLowerCase().replace(/[^a-z0-9]/g, ''))

/** Whether there is an address with a user name or a password in the text. */
const carriesUser = (text: string): boolean =>
  text
    .split('://')
    .slice(1)
    .some((rest) => /^[^/?#\s]*/.exec(rest)![0].includes('@'))

/** A part of a path in an issue. */
export const pathPart = (name: string): string => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`

export const noSecrets = 'Secrets do not belong into settings; refer to a provider credential.'

/** Whether the value, written as JSON, is larger than settings may be. */
export function sizeIssues(value: unknown, path: string): Issue[] {
  return Buffer.byteLength(JSON.stringify(value)) > bytesMax
    ? [{ path, message: `May have at most ${bytesMax.toLocaleString('en')} bytes of JSON.` }]
    : []
}

/** What is wrong with settings that may hold anything but secrets. */
export function freeFormIssues(settings: Record<string, unknown>, path: string): Issue[] {
  return [...sizeIssues(settings, path), ...secretsIn(settings, path)].slice(0, issuesMax)
}

function secretsIn(value: unknown, path: string): Issue[] {
  if (typeof value === 'string') return carriesUser(value) ? [{ path, message: noSecrets }] : []
  if (Array.isArray(value)) return value.flatMap((item, index) => secretsIn(item, `${path}/${index}`))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, item]) => {
    const at = path + pathPart(name)
    return looksSecret(name) ? [{ path: at, message: noSecrets }] : secretsIn(item, at)
  })
}
