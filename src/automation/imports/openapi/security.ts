/** The security schemes of a document, as settings of a Connection. Source: OpenAPI 3.1, "Security Scheme Object". */
import type { HttpSettings } from '../../../delivery/connections/settings-schema.ts'
import { isObject } from '../../../platform/json.ts'
import { cleaned } from '../names.ts'
import { Skip } from '../skip.ts'
import type { Loose, OpenApiDocument } from './document.ts'

/** The suggested settings of a Connection for the document's operations. */
export interface SuggestedConnection extends Pick<HttpSettings, 'auth' | 'headerName'> {
  baseUrl: string | null
}

const urlCharactersMax = 2_048

export class Security {
  readonly #schemes = new Map<string, Loose>()
  readonly #byDefault: unknown

  constructor(private readonly document: OpenApiDocument) {
    const { components, security } = document.root
    this.#byDefault = security
    const schemes = isObject(components) && isObject(components.securitySchemes) ? components.securitySchemes : {}
    for (const [name, scheme] of Object.entries(schemes).slice(0, 100)) {
      const found = resolvedOr(document, scheme)
      if (found) this.#schemes.set(name, found)
    }
  }

  /** The settings that the document suggests: its first server, and its first scheme that a Connection supports. */
  connection(): SuggestedConnection {
    const named = requirementsIn(this.#byDefault).flatMap((requirement) => Object.keys(requirement))
    const preferred = named.map((name) => this.#schemes.get(name)).filter((scheme) => scheme !== undefined)
    const [settings] = [...preferred, ...this.#schemes.values()].map(settingsOf).filter((found) => found !== undefined)
    return { baseUrl: serverOf(this.document.root), ...settings }
  }

  /** API keys in the query, by parameter: the variable of each. A Connection sends only headers. */
  queryOf({ security = this.#byDefault }: Loose): Record<string, string> {
    const [first = {}] = requirementsIn(security)
    const keys = Object.keys(first).flatMap((name): [string, string][] => {
      const scheme = this.#schemes.get(name)
      return scheme?.type === 'apiKey' && scheme.in === 'query' && typeof scheme.name === 'string'
        ? [[scheme.name, `{{variables.${variableName(name)}}}`]]
        : []
    })
    return Object.fromEntries(keys)
  }
}

const requirementsIn = (security: unknown): Loose[] => (Array.isArray(security) ? security.filter(isObject) : [])

/** `apiKey` becomes the variable `API_KEY`. */
const variableName = (name: string): string => {
  const words = cleaned(name)
    .replaceAll('-', '_')
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toUpperCase()
  return /^[A-Z]/.test(words) ? words : `KEY_${words}`
}

function settingsOf({ type, scheme, in: place, name }: Loose): Pick<HttpSettings, 'auth' | 'headerName'> | undefined {
  if (type === 'oauth2' || type === 'openIdConnect') return { auth: 'bearer' }
  if (type === 'http') return { auth: String(scheme).toLowerCase() === 'basic' ? 'basic' : 'bearer' }
  const isHeader = type === 'apiKey' && place === 'header' && typeof name === 'string'
  return isHeader ? { auth: 'header', headerName: name } : undefined
}

/** The address of the first server, with the defaults of its variables. */
function serverOf({ servers }: Loose): string | null {
  const [first] = Array.isArray(servers) ? servers : []
  if (!isObject(first) || typeof first.url !== 'string') return null
  const variables = isObject(first.variables) ? first.variables : {}
  const url = first.url.replace(/\{([^{}]*)\}/g, (whole, name: string) => {
    const variable = variables[name]
    return isObject(variable) && typeof variable.default === 'string' ? variable.default : whole
  })
  return /^https?:\/\/[^{}]+$/.test(url) && url.length <= urlCharactersMax ? url : null
}

function resolvedOr(document: OpenApiDocument, value: unknown): Loose | undefined {
  try {
    return document.resolved(value)
  } catch (error) {
    if (error instanceof Skip) return undefined
    throw error
  }
}
