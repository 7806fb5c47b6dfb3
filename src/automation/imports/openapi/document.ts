/** An OpenAPI document and its references, which must stay within it: nothing is fetched. */
import { type Issue, invalid } from '../../../platform/http/answers/errors.ts'
import { isObject } from '../../../platform/json.ts'
import { Skip } from '../skip.ts'

export type Loose = Record<string, unknown>

/** The longest chain of references. */
const hopsMax = 16

export class OpenApiDocument {
  /** Whether its schemas are those of OpenAPI 3.0, which differ slightly from JSON Schema. */
  readonly isOld: boolean

  /** Throws `validation_failed` (422) for a document of another version. */
  constructor(readonly root: Loose) {
    const { openapi, swagger, paths } = root
    if (typeof openapi !== 'string' || !/^3\.[01]\.\d+/.test(openapi)) {
      const found = swagger === '2.0' ? ' This one is Swagger 2.0: convert it first.' : ''
      throw refused({ path: '/body/openapi/openapi', message: `Must be a document of OpenAPI 3.0 or 3.1.${found}` })
    }
    if (!isObject(paths))
      throw refused({ path: '/body/openapi/paths', message: 'Must be an object: the document has no paths.' })
    this.isOld = openapi.startsWith('3.0')
  }

  /**
   * The value, or the target if it is a reference, whose own description comes first in OpenAPI 3.1. Throws `Skip` for a
   * reference that is broken or leaves the document.
   */
  resolved(value: unknown): Loose {
    let found = value
    let own: unknown
    for (let hops = 0; isObject(found) && typeof found.$ref === 'string'; hops += 1) {
      if (hops === hopsMax) throw new Skip(`The reference ${found.$ref} leads in a circle.`)
      own ??= found.description
      found = this.at(found.$ref)
    }
    if (!isObject(found)) throw new Skip('A part of it is not an object.')
    return typeof own === 'string' && !this.isOld ? { ...found, description: own } : found
  }

  /** The target of a reference such as `#/components/schemas/Pet`. Throws `Skip`. */
  at(reference: string): unknown {
    if (!/^#(?:\/|$)/.test(reference)) {
      throw new Skip(`Refers to ${shown(reference)}, which is outside the document: bundle it into one document first.`)
    }
    let found: unknown = this.root
    for (const part of reference.slice(1).split('/').slice(1)) {
      const name = unescaped(part)
      if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) {
        throw new Skip(`Refers to ${shown(reference)}, which is not in the document.`)
      }
      found = (found as Loose)[name]
    }
    return found
  }
}

const refused = (issue: Issue) => invalid([issue])
const shown = (reference: string) => (reference.length > 100 ? `${reference.slice(0, 100)}…` : reference)

function unescaped(part: string): string {
  try {
    return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')
  } catch {
    return part
  }
}
