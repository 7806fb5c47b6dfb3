/** The JSON Schemas of one source: each has to compile, and all together may not take too long to. */
import { jsonSchemaIssues } from '../agents/json-schema.ts'
import type { Issue } from '../http/errors.ts'
import { nextTurn } from '../runtime/next-turn.ts'
import { isObject, type Loose } from './loose.ts'

/** Of all JSON Schemas of one source together. */
const charactersMax = 131_072

export interface SchemaPlace {
  path: string
  schema: unknown
  /** Values of it are objects. */
  ofObjects: boolean
}

const takesObjects = ({ type }: Loose): boolean =>
  type === undefined || type === 'object' || (Array.isArray(type) && type.includes('object'))

/** What is wrong with the schemas; `path` is where the source is. */
export async function schemasIssues(places: readonly SchemaPlace[], path: string): Promise<Issue[]> {
  const all = places.flatMap(({ schema, ...place }) => (isObject(schema) ? [{ schema, ...place }] : []))
  const characters = all.reduce((sum, { schema }) => sum + JSON.stringify(schema).length, 0)
  if (characters > charactersMax) {
    const message = `Its JSON Schemas may have at most ${charactersMax.toLocaleString('en')} characters together.`
    return [{ path, message }]
  }
  const issues: Issue[] = []
  for (const { path: at, schema, ofObjects } of all) {
    const found = await jsonSchemaIssues(schema, at)
    if (found.length === 0 && ofObjects && !takesObjects(schema)) {
      found.push({ path: `${at}/type`, message: 'Must be object.' })
    }
    issues.push(...found)
    // compiling takes its time, and others are waiting
    await nextTurn()
  }
  return issues
}
