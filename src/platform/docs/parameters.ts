/**
 * Parameters of operations. Those of paths and headers mean the same wherever they occur, and are components, named as
 * they are written or by the schema's own `parameter`; so are those of queries that have that word. Filters belong to their
 * list.
 */
import type { TObject, TSchema } from '@sinclair/typebox'
import type { Schemas } from './schemas.ts'

type Place = 'path' | 'query' | 'header'

const component = (name: string) => ({ $ref: `#/components/parameters/${name}` })
const pascalCase = (name: string) => name.replaceAll(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase())
/** As specifications write it: `Idempotency-Key`. */
const headerCase = (name: string) => name.replaceAll(/(?:^|-)[a-z]/g, (start) => start.toUpperCase())

const organization = {
  name: 'X-Troupe-Organization',
  in: 'header',
  required: false,
  description:
    'The organization that a session asks about, by id or slug; without it, the one that the user belongs to longest. An ' +
    'API key speaks for its own.',
  schema: { type: 'string', minLength: 1, maxLength: 63, examples: ['default'] },
}

export class Parameters {
  readonly #components = new Map<string, object>()

  constructor(private readonly schemas: Schemas) {}

  /** The shared ones, by name. */
  get components(): Record<string, object> {
    return Object.fromEntries([...this.#components].sort(([one], [other]) => (one < other ? -1 : 1)))
  }

  /** Those that a schema lists. Throws when two different ones have one name. */
  describe(place: Place, schema: TObject | undefined): object[] {
    if (!schema) return []
    return Object.entries(schema.properties).map(([name, property]) => {
      const parameter = this.#parameter(place, name, property, schema.required ?? [])
      if (place === 'query' && !property.parameter) return parameter
      return this.#shared(property.parameter ?? pascalCase(name), parameter)
    })
  }

  /** The header by which a session says which organization it asks about. */
  ofOrganization = (): object => this.#shared('Organization', organization)

  #parameter(place: Place, name: string, schema: TSchema, needed: string[]): object {
    const { description = schema.description ?? name, ...rest } = this.schemas.describe(schema, true)
    return {
      name: place === 'header' ? headerCase(name) : name,
      in: place,
      required: place === 'path' || (needed.includes(name) && schema.default === undefined),
      description,
      schema: rest,
    }
  }

  #shared(name: string, parameter: object): object {
    const known = this.#components.get(name)
    if (known && JSON.stringify(known) !== JSON.stringify(parameter)) {
      throw new Error(`Two parameters are called ${name}`)
    }
    this.#components.set(name, parameter)
    return component(name)
  }
}
