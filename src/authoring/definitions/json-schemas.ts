/** The JSON Schemas of one revision: each has to be usable, and all together may not be too much. */

import type { Issue } from '../../platform/http/answers/errors.ts'
import { isObject } from '../../platform/json.ts'
import { schemaIssues } from '../../platform/json-schemas/checks.ts'
import { nextTurn } from '../../platform/time/next-turn.ts'
import type { Loose } from './loose.ts'

/** The size limit of one schema as JSON: the time to compile it grows faster than its size. */
export const schemaCharactersMax = 32_768
/** The size limit of all JSON Schemas of one revision. */
export const schemasCharactersMax = 131_072

export interface SchemaPlace {
  path: string
  schema: unknown
  /** The message if no object matches; omitted: objects are not required. */
  ofObjects?: string
}

const takesObjects = ({ type }: Loose): boolean =>
  type === undefined || type === 'object' || (Array.isArray(type) && type.includes('object'))

/** Problems of the schemas; `path` is the place of the revision. Throws `SchemaFailure` if they cannot be checked now. */
export async function schemasIssues(
  places: readonly SchemaPlace[],
  path: string,
  organizationId: string,
): Promise<Issue[]> {
  const all = places.flatMap(({ schema, ...place }) =>
    isObject(schema) ? [{ schema, characters: JSON.stringify(schema).length, ...place }] : [],
  )
  const characters = all.reduce((sum, { characters: its }) => sum + its, 0)
  if (characters > schemasCharactersMax) {
    const message = `Its JSON Schemas may have at most ${schemasCharactersMax.toLocaleString('en')} characters together.`
    return [{ path, message }]
  }
  const issues: Issue[] = []
  for (const { path: at, schema, characters: its, ofObjects } of all) {
    if (its > schemaCharactersMax) {
      const message = `May have at most ${schemaCharactersMax.toLocaleString('en')} characters as JSON.`
      issues.push({ path: at, message })
      continue
    }
    const found = await schemaIssues(schema, at, organizationId)
    if (found.length === 0 && ofObjects !== undefined && !takesObjects(schema)) {
      found.push({ path: `${at}/type`, message: ofObjects })
    }
    issues.push(...found)
    // compiling takes time, so other requests get a turn
    await nextTurn()
  }
  return issues
}
